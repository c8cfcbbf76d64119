import { UNMATCHABLE } from './patterns.ts'

/** Never part of UTF-8, and the engine takes no pattern that could match such a byte. */
const NO_CHARACTER = 0xff

/** A text as the engine takes it. Even `.` and `[^x]` stop at what takes the place of UNMATCHABLE. */
export function toSearchableBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  for (let at = bytes.indexOf(UNMATCHABLE); at >= 0; at = bytes.indexOf(UNMATCHABLE, at + 1))
    bytes[at] = NO_CHARACTER
  return bytes
}
