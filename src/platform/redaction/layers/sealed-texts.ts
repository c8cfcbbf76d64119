import { type Claim, RANK } from '../finding.ts'

/**
 * A value that SOPS has encrypted, and the name of a host as a file of known hosts holds it: a salt, a hash and the kind
 * of its key, for a hash may end in what reads like a name and a sign of equality.
 */
const SEALED =
  /ENC\[[A-Z0-9_]{3,20},data:[A-Za-z0-9+/=]{0,8192},iv:[A-Za-z0-9+/=]{4,64},tag:[A-Za-z0-9+/=]{4,64},type:\w{1,10}\]|\|1\|[A-Za-z0-9+/]{27}=\|[A-Za-z0-9+/]{27}=(?: [a-z][\w@.-]{3,60})?/g

/** Without what was claimed of sealed texts; of values that are known exactly nothing is left. */
export function leaveSealed(line: string, claims: Claim[]): Claim[] {
  if (claims.length === 0 || !(line.includes('ENC[') || line.includes('|1|'))) return claims
  const spans = Array.from(
    line.matchAll(SEALED),
    ({ 0: text, index }) => [index, index + text.length] as const,
  )
  let next = 0
  // Both are in the order of the line.
  return claims.filter(({ start, rank }) => {
    while (next < spans.length && (spans[next]?.[1] as number) <= start) next++
    const span = spans[next]
    return rank <= RANK.owner || span === undefined || start < span[0]
  })
}
