import { UNMATCHABLE } from './patterns.ts'

/** Turns rising offsets in the UTF-8 form of a text into indexes of the text itself, in place. */
export function toUtf16Indexes(text: string, offsets: number[], text_bytes: number): number[] {
  if (text_bytes === text.length) return offsets
  let bytes = 0
  let index = 0
  for (const [place, target] of offsets.entries()) {
    while (bytes < target) {
      const code = text.codePointAt(index) as number
      bytes += utf8Length(code)
      index += code > 0xffff ? 2 : 1
    }
    offsets[place] = index
  }
  return offsets
}

/** Half a surrogate pair is encoded as the replacement character, which takes three bytes too. */
function utf8Length(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code > 0xffff ? 4 : 3
}

/** Never part of UTF-8, and the engine takes no pattern that could match such a byte. */
const NO_CHARACTER = 0xff

/** A text as the engine takes it. Even `.` and `[^x]` stop at what takes the place of UNMATCHABLE. */
export function toSearchableBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  for (let at = bytes.indexOf(UNMATCHABLE); at >= 0; at = bytes.indexOf(UNMATCHABLE, at + 1))
    bytes[at] = NO_CHARACTER
  return bytes
}
