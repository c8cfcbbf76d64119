import type { LineClaim } from './inspect-line.ts'
import { renderMark } from './mark.ts'

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
export function renderClaim({ rule, goesOn }: LineClaim): string {
  return goesOn ? '' : renderMark(rule)
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
