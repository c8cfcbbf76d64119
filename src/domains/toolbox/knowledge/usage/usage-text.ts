import type { SgNode } from '@ast-grep/napi'
import type { UsageSymbol } from './tree-job.ts'
import { isInField, isPartOf, type UsageGrammar, type UsageKind } from './usage-grammar.ts'
import type { UsageReading } from './usage-languages.ts'
import { escapeName, openOwnerCheck } from './usage-owner.ts'

/** Patterns within patterns, and statements around an imported name, deeper than anyone writes them. */
const PATTERN_DEPTH_LIMIT = 24
const IMPORT_DEPTH_LIMIT = 12

/** One occurrence of a symbol; indexes into the text. */
export interface TextUsage {
  readonly start: number
  readonly end: number
  readonly kind: UsageKind
}

/** Finds where a parsed text names a symbol, in the order of the text. */
export function findUsages(
  root: SgNode,
  { grammar }: UsageReading,
  path: string,
  symbol: UsageSymbol,
): TextUsage[] {
  const any = grammar.names.map((kind) => ({ kind, regex: `^${escapeName(symbol.name)}$` }))
  const nodes = [...root.findAll({ rule: { any } }), ...(grammar.findMore?.(root, symbol.name) ?? [])]
  const owner =
    symbol.qualifiers.length > 0 && nodes.length > 0 && openOwnerCheck(root, grammar, path, symbol)
  const found: TextUsage[] = []
  for (const node of nodes) {
    const kind = findRole(node, grammar)
    if (kind === undefined || (owner && !owner.isOwned(node, kind))) continue
    const { start, end } = node.range()
    found.push({ start: start.index, end: end.index, kind })
  }
  return found.toSorted((one, other) => one.start - other.start)
}

/** What a name is where it stands; undefined where it is no use of a symbol at all. */
function findRole(node: SgNode, grammar: UsageGrammar): UsageKind | undefined {
  if (isIgnored(node, grammar)) return undefined
  const kind = kindByTables(node, grammar)
  return grammar.judge?.(node, kind) ?? kind
}

function kindByTables(node: SgNode, grammar: UsageGrammar): UsageKind {
  if (isInImport(node, grammar)) return 'import'
  return isDefined(node, grammar) ? 'definition' : 'reference'
}

function isDefined(node: SgNode, { definitions, patterns }: UsageGrammar): boolean {
  let [inner, parent] = [node, node.parent()]
  for (let steps = 0; parent && steps < PATTERN_DEPTH_LIMIT; steps += 1) {
    const kind = String(parent.kind())
    const fields = Object.hasOwn(definitions, kind) ? definitions[kind] : undefined
    if (fields && isInField(parent, inner, fields)) return true
    const passed = Object.hasOwn(patterns, kind) ? patterns[kind] : undefined
    if (!passed || !isPartOf(parent, inner, passed)) return false
    ;[inner, parent] = [parent, parent.parent()]
  }
  return false
}

function isInImport(node: SgNode, { imports }: UsageGrammar): boolean {
  let parent = node.parent()
  for (let steps = 0; parent && steps < IMPORT_DEPTH_LIMIT; parent = parent.parent(), steps += 1)
    if (imports.includes(String(parent.kind()))) return true
  return false
}

/** A label stands right in its statement; the name of a closing tag may have parts; a macro's lifetimes are in two. */
function isIgnored(node: SgNode, { ignored }: UsageGrammar): boolean {
  const parent = node.parent()
  if (!parent) return false
  const above = parent.parent()
  return (
    ignored.includes(String(parent.kind())) ||
    (parent.kind() === 'token_tree' && node.prev()?.kind() === "'") ||
    (parent.kind() === 'member_expression' && above?.kind() === 'jsx_closing_element')
  )
}
