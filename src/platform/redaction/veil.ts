import type { HiddenPiece } from './finding.ts'
import type { Redactor } from './redactor.ts'

/** Stands for one hidden piece. No text of a file has it, and the pattern engine lets nothing match it. */
export const VEIL = '\0'

/** A text without its secrets: whatever is worked out from it alone can tell nothing of them. */
export interface VeiledText {
  /** With VEIL in the place of each piece; lines are those of the text itself. */
  readonly text: string
  /** What stood there, in the order of the veils. */
  readonly pieces: readonly VeiledPiece[]
}

export interface VeiledPiece {
  readonly secret: string
  /** What a reader sees in its place. */
  readonly shown: string
}

/** Veils what the redactor would hide. The text must be one without VEIL in it. */
export function veilSecrets(redactor: Pick<Redactor, 'findHidden'>, text: string): VeiledText {
  if (text.includes(VEIL)) throw new Error('A text that has the veil in it cannot be veiled.')
  const stretches: string[] = []
  const pieces: VeiledPiece[] = []
  let seen = 0
  for (const piece of redactor.findHidden(text)) {
    const { start, end } = withoutBreaks(text, piece)
    if (start === end) continue
    stretches.push(text.slice(seen, start))
    pieces.push({ secret: text.slice(start, end), shown: piece.shown })
    seen = end
  }
  if (pieces.length === 0) return { text, pieces }
  return { text: [...stretches, text.slice(seen)].join(VEIL), pieces }
}

/** Ends of lines are no secret, and the line anchors of patterns must find them where the text has them. */
function withoutBreaks(text: string, piece: HiddenPiece): { start: number; end: number } {
  let { start, end } = piece
  while (start < end && isBreak(text, start)) start += 1
  while (start < end && isBreak(text, end - 1)) end -= 1
  return { start, end }
}

function isBreak(text: string, index: number): boolean {
  return text[index] === '\n' || text[index] === '\r'
}

/** Puts something in the place of each veil, in their order; also after the text between them was changed. */
export function fillVeils(text: string, fillings: readonly string[]): { text: string; starts: number[] } {
  const stretches = text.split(VEIL)
  if (stretches.length !== fillings.length + 1) throw new Error('A veiled text has lost what it hides.')
  const starts: number[] = []
  let length = 0
  const all = stretches.map((stretch, place) => {
    const filling = fillings[place] ?? ''
    if (place < fillings.length) starts.push(length + stretch.length)
    length += stretch.length + filling.length
    return stretch + filling
  })
  return { text: all.join(''), starts }
}

/** The text with a letter for each veil, for a parser would end at a veil. Indexes stay as they are. */
export function toParsable(text: string): string {
  return text.replaceAll(VEIL, 'x')
}

/** Whether something is hidden in this part of a veiled text. */
export function hasVeil(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const veil = text.indexOf(VEIL, start)
  return veil >= 0 && veil < end
}
