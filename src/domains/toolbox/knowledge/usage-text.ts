import type { SgNode } from '@ast-grep/napi'
import type { UsageKind } from './usage-grammar.ts'
import type { UsageReading } from './usage-languages.ts'
import { escapeName, openOwnerCheck } from './usage-owner.ts'
import { findRole } from './usage-role.ts'
import type { UsageSymbol } from './usage-symbol.ts'

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
