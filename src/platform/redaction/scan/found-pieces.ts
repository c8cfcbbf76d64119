import type { HiddenPiece } from '../finding.ts'
import type { Repeat, Repeats } from '../known/repeated-values.ts'
import { isKnownExactly, renderMark } from '../mark.ts'
import type { Scanner } from './scan.ts'
import { renderClaim } from './settled-claims.ts'
import { withoutZeros } from './wide-text.ts'

/** A part of a text that is hidden, the rule that says so, and whether it began on an earlier line. */
export interface FoundPiece extends HiddenPiece {
  readonly rule: string
  /** The rule that it is shown as if not by its own. */
  readonly guise?: string
  readonly goesOn?: true
}

/** What is hidden of a text, in its order and apart from each other, and how much of the text is done with. */
export interface FoundPieces {
  readonly pieces: readonly FoundPiece[]
  readonly done: number
}

/** Looks for secrets, and for what was found once wherever else it stands. */
export function findPieces(
  scanner: Scanner,
  repeats: Repeats,
  written: string,
  isLast: boolean,
): FoundPieces {
  const { text, placeOf } = withoutZeros(written)
  const { pieces, done } = findNarrow(scanner, repeats, text, isLast)
  if (text === written) return { pieces, done }
  const widened = pieces.map((piece) => ({
    ...piece,
    start: placeOf(piece.start),
    end: placeOf(piece.end - 1) + 1,
  }))
  return { pieces: widened, done: placeOf(done) }
}

function findNarrow(scanner: Scanner, repeats: Repeats, text: string, isLast: boolean): FoundPieces {
  const pieces: FoundPiece[] = []
  const done = scanner.scan(text, isLast, (claim, offset) => {
    const { rule, guise, goesOn } = claim
    const [start, end] = [offset + claim.start, offset + claim.end]
    if (!goesOn) repeats.note(text.slice(start, end), guise?.rule ?? rule)
    const more = { ...(guise && { guise: guise.rule }), ...(goesOn && { goesOn }) }
    pieces.push({ start, end, rule, shown: renderClaim(claim), ...more })
  })
  const again = repeats.findIn(done < text.length ? text.slice(0, done) : text)
  return { pieces: again.length === 0 ? pieces : merge(pieces, again), done }
}

/** Both are in the order of the text. What is hidden already is not hidden again. */
function merge(pieces: readonly FoundPiece[], again: readonly Repeat[]): FoundPiece[] {
  const merged: FoundPiece[] = []
  let [next, covered] = [0, 0]
  for (const { rule, start, end } of again) {
    let from = Math.max(start, covered)
    const hide = (stop: number) => {
      if (from < stop) merged.push({ rule, start: from, end: stop, shown: renderMark(rule) })
    }
    for (; next < pieces.length && (pieces[next] as FoundPiece).start < end; next++) {
      const piece = pieces[next] as FoundPiece
      hide(piece.start)
      const isAgain = piece.start === start && piece.end === end && !piece.guise && isKnownExactly(piece.rule)
      merged.push(isAgain ? { ...piece, guise: rule, shown: renderMark(rule) } : piece)
      covered = piece.end
      from = Math.max(from, covered)
    }
    hide(end)
    covered = Math.max(covered, end)
  }
  return [...merged, ...pieces.slice(next)]
}

/** The text with a mark in the place of each piece. */
export function renderPieces(text: string, { pieces, done }: FoundPieces): string {
  if (pieces.length === 0) return done < text.length ? text.slice(0, done) : text
  const shown: string[] = []
  let from = 0
  for (const piece of pieces) {
    shown.push(text.slice(from, piece.start), piece.shown)
    from = piece.end
  }
  return shown.join('') + text.slice(from, done)
}
