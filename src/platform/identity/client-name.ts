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

const LOOKED_AT_CHARS = 200

/**
 * Names the calling program from a fixed list. What it says of itself is its own claim and could carry
 * anything, a secret too, so the claim itself is never kept.
 */
export function clientName(claim: string | undefined): string {
  if (!claim) return 'unknown'
  const looked_at = claim.slice(0, LOOKED_AT_CHARS)
  return KNOWN.find(([pattern]) => pattern.test(looked_at))?.[1] ?? 'other'
}
