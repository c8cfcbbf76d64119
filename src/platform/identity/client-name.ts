/** Programs that are told apart in the audit log: a word in what they say of themselves, and our name for it. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^knowtation/i, 'knowtation'],
  [/claude[- ]?code/i, 'claude-code'],
  [/claude/i, 'claude'],
  [/cursor/i, 'cursor'],
  [/codex/i, 'codex'],
  [/vscode|visual studio code/i, 'vscode'],
  [/inspector/i, 'mcp-inspector'],
  [/conformance/i, 'mcp-conformance'],
  [/^curl\//i, 'curl'],
  [/^mozilla\//i, 'browser'],
  [/^(node|undici)/i, 'node'],
  [/python/i, 'python'],
]

/**
 * Names the calling program from a fixed list. What it says of itself is its own claim and could carry
 * anything, a secret too, so the claim itself is never kept.
 */
export function clientName(claim: string | undefined): string {
  if (!claim) return 'unknown'
  return recognised.get(claim) ?? recognise(claim)
}

// A client says the same with every request; what is remembered of it stays in memory only.
const recognised = new Map<string, string>()
const REMEMBERED_LIMIT = 200

function recognise(claim: string): string {
  const name = KNOWN.find(([pattern]) => pattern.test(claim.slice(0, 200)))?.[1] ?? 'other'
  if (recognised.size >= REMEMBERED_LIMIT) recognised.clear()
  if (claim.length <= 500) recognised.set(claim, name)
  return name
}
