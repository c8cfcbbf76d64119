import type { LineClaim } from './inspect-line.ts'
import type { Scanner } from './scan.ts'
import { renderClaim } from './settled-claims.ts'

/** What can be shown of a text, how much of it is done with, and whether nothing of that was hidden. */
export function renderRedacted(scanner: Scanner, text: string, isLast: boolean) {
  const pieces: string[] = []
  let shown = 0
  const take = (claim: LineClaim, offset: number) => {
    pieces.push(text.slice(shown, offset + claim.start), renderClaim(claim))
    shown = offset + claim.end
  }
  const done = scanner.scan(text, isLast, take)
  pieces.push(text.slice(shown, done))
  const is_clean = pieces.length === 1
  return { shown: is_clean ? (pieces[0] as string) : pieces.join(''), done, is_clean }
}
