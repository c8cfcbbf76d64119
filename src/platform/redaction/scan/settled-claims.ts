import { renderMark } from '../mark.ts'
import type { LineClaim, SeenLine } from './inspect-line.ts'

/** The line as it is shown: a mark in the place of each claim. */
export function replaceClaims(line: string, claims: readonly LineClaim[]): string {
  const pieces: string[] = []
  let from = 0
  for (const claim of claims) {
    pieces.push(line.slice(from, claim.start), renderClaim(claim))
    from = claim.end
  }
  return pieces.join('') + line.slice(from)
}

/** What stands in the place of a claim: nothing where the secret began on an earlier line. */
export function renderClaim({ rule, guise, goesOn }: LineClaim): string {
  return goesOn ? '' : renderMark(guise?.rule ?? rule)
}

/** Claims on a line together with those found once marks stood in their places, in terms of the line itself. */
export function mergeSettled(claims: readonly LineClaim[], more: readonly LineClaim[]): LineClaim[] {
  const merged: LineClaim[] = []
  let shift = 0
  let next = 0
  for (const claim of claims) {
    while (next < more.length && (more[next] as LineClaim).start + shift < claim.start) {
      merged.push(shifted(more[next++] as LineClaim, shift))
    }
    merged.push(claim)
    shift += claim.end - claim.start - renderClaim(claim).length
  }
  return [...merged, ...more.slice(next).map((claim) => shifted(claim, shift))]
}

function shifted(claim: LineClaim, shift: number): LineClaim {
  return { ...claim, start: claim.start + shift, end: claim.end + shift }
}

/** What may stand before, between and behind values on a line that holds nothing else. */
const BEFORE_VALUE = /^\s{0,40}(?:[-|]\s{1,4})?(?:[A-Za-z_]\w{0,60}["']?\s{0,4}[=:|]\s{0,4})?["']?$/
const BETWEEN_VALUES = /^["']?[,;\s]{1,4}(?:["']?[A-Za-z_]\w{0,60}["']?\s{0,4}[=:]\s{0,4})?["']?$/
const BEHIND_VALUE = /^["']?\s?[,;|]?\s{0,4}$/

/**
 * Whether all that stands on a line up to `end` are names and their values, which are gone: there is nothing left
 * that a mark could part.
 */
export function holdsOnlyPairs(
  { text, hits, tokens }: SeenLine,
  claims: readonly LineClaim[],
  end: number,
): boolean {
  let from = 0
  for (const claim of claims) {
    if (from >= end) break
    if (!(from === 0 ? BEFORE_VALUE : BETWEEN_VALUES).test(text.slice(from, claim.start))) return false
    if (claim.goesOn) return false
    from = claim.end
  }
  if (from < end && !BEHIND_VALUE.test(text.slice(from))) return false
  return (
    // A structure that begins in a name has nothing but a mark behind it.
    hits.every(({ lead, at }) => lead.kind === 'structure' || at >= end || isClaimed(claims, at, at + 1)) &&
    tokens.every((token) => token.start >= end || isClaimed(claims, token.start, token.end))
  )
}

/** Claims are in order and apart: the last one that begins before the end is the only one that can matter. */
function isClaimed(claims: readonly LineClaim[], start: number, end: number): boolean {
  let [low, high] = [0, claims.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((claims[middle] as LineClaim).start < end) low = middle + 1
    else high = middle
  }
  const last = claims[low - 1]
  return last !== undefined && last.start <= start && end <= last.end
}
