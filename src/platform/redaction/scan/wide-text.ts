const NUL = 0

/** A text without the zeros between its letters, and where each of its characters stood before. */
export interface NarrowText {
  readonly text: string
  placeOf(at: number): number
}

/** What is written with two bytes a character, and read as if with one, has a zero at every other place. */
export function withoutZeros(text: string): NarrowText {
  if (!text.includes('\0')) return { text, placeOf: (at) => at }
  const places = new Uint32Array(text.length + 1)
  const codes = new Uint16Array(text.length)
  let kept = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // A zero that parts two values stands alone.
    if (code === NUL && (text.charCodeAt(at - 2) === NUL || text.charCodeAt(at + 2) === NUL)) continue
    codes[kept] = code
    places[kept++] = at
  }
  places[kept] = text.length
  return {
    text: Buffer.from(codes.buffer, 0, 2 * kept).toString('utf16le'),
    placeOf: (at) => places[at] as number,
  }
}
