import { type Claim, RANK } from '../finding.ts'
import { hasSignAndDigit, isSignedLetters } from '../looks/chosen-password.ts'
import { isPlaceholder } from '../looks/placeholder.ts'
import { surprise } from '../looks/randomness.ts'

/**
 * A line that speaks of a password may have one anywhere, in whatever form: in a call, in brackets, behind an arrow.
 * What can be nothing else is taken for it: letters, digits and signs as neither a name nor an expression has them.
 */
const SPEAKS = /pass(?:w|ph|code|\b)|pwd|\bpw\b|kennwort|contrase|senha/gi
const VALUE = /(?<=^|[\s"'`([{<>,;|=:])[A-Za-z0-9][^\s"'`()[\]{}<>,;|=:\\/]{6,63}(?=$|[\s"'`)\]}<>,;|:\\])/g
/** The word stands so near, before or behind. */
const NEAR = { before: 160, behind: 60 }
const MAX_LINE_CHARS = 4_000
/** An address or a version, the method of a class, terms of a sum, what a language marks, a place in a program. */
const NAMED =
  /^[\w.-]+[@+][\w.^~-]+$|^\w+(?:[.+-]\w+)*#[A-Za-z_]\w*$|^(?:[\w-]*[A-Z]{3}|[a-z]+)#\d+$|^[\w.-]+(?:[+&][\w.-]+)+$|^\d+\*|^[a-z]+(?:[A-Z_-][a-z]*)*(?:\d{1,2}(?:-[a-z]+)*)?[!?$*]$|\.\w+\.\w/
const PLAIN_SIGN = /[!$%^*~]/
const LETTER_BITS = 5.6

export function claimBesidePassword(line: string, claims: Claim[]): void {
  if (line.length > MAX_LINE_CHARS) return
  const words = Array.from(line.matchAll(SPEAKS), ({ index }) => index)
  if (words.length === 0) return
  let next = 0
  for (const { 0: text, index: start } of line.matchAll(VALUE)) {
    while (next < words.length && (words[next] as number) < start) next++
    const [before, behind] = [words[next - 1], words[next]]
    const isNear =
      (before !== undefined && start - before <= NEAR.before) ||
      (behind !== undefined && behind - start - text.length <= NEAR.behind)
    const value = text.replace(/\.+$/, '')
    if (!isNear || !isUnmistakable(value)) continue
    claims.push({ rule: 'keyword_value', start, end: start + value.length, rank: RANK.keyword })
  }
}

function isUnmistakable(value: string): boolean {
  if (/^[\w.-]*$/.test(value) || isPlaceholder(value)) return false
  if (isSignedLetters(value) && /[A-Z]/.test(value) && surprise(value) >= LETTER_BITS) return true
  if (NAMED.test(value)) return false
  return hasSignAndDigit(value) || (isSignedLetters(value) && PLAIN_SIGN.test(value))
}
