import type { SgNode } from '@ast-grep/napi'
import { isInField, isPartOf, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

/** Patterns within patterns, and statements around an imported name, deeper than anyone writes them. */
const PATTERN_DEPTH_LIMIT = 24
const IMPORT_DEPTH_LIMIT = 12

/** What a name is where it stands; nothing where it is no use of a symbol at all. */
export function findRole(node: SgNode, grammar: UsageGrammar): UsageKind | undefined {
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
