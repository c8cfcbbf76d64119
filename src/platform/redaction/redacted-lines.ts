import type { HiddenPiece } from './finding.ts'
import type { Redactor } from './redactor.ts'

/**
 * The lines of a text as redaction of the whole text shows them: line N of the answer is line N of the text, so
 * `text.split('\n')` has as many. A secret over several lines has a mark on each of them, for a reader may be shown
 * only some of the lines.
 */
export function redactedLines(text: string, redactor: Pick<Redactor, 'findHidden'>): readonly string[] {
  const pieces = redactor.findHidden(text)
  const lines = text.split('\n')
  if (pieces.length === 0) return lines
  let [offset, next, mark] = [0, 0, '']
  return lines.map((line) => {
    const shown: string[] = []
    let done = 0
    for (; next < pieces.length && (pieces[next] as HiddenPiece).start <= offset + line.length; next++) {
      const piece = pieces[next] as HiddenPiece
      mark = piece.shown || mark
      // The rest of a secret has no mark of its own: on a new line it gets that of its beginning.
      shown.push(line.slice(done, piece.start - offset), shown.length === 0 ? mark : piece.shown)
      done = piece.end - offset
    }
    offset += line.length + 1
    return done === 0 ? line : shown.join('') + line.slice(done)
  })
}
