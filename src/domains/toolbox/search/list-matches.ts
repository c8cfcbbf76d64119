import type { ShownText } from './look-through.ts'
import type { LocatedMatch } from './search-job.ts'
import { SNIPPET_BEFORE_BYTES, SNIPPET_MAX_BYTES } from './search-limits.ts'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const CUT = '…'

/** Where the first matches in a text stand, and what is to be shown of their lines. Goes through the text once. */
export function listMatches(text: ShownText, offsets: readonly number[], limit: number): LocatedMatch[] {
  const { bytes } = text
  // A text without any line feed has lines that end with carriage returns.
  const ending = bytes.includes(LINE_FEED) ? LINE_FEED : CARRIAGE_RETURN
  const found: LocatedMatch[] = []
  let at = { line: 1, line_start: 0, end: findEnd(bytes, 0, ending) }
  let [column, column_at] = [1, 0]
  for (let place = 0; place < offsets.length && found.length < limit; place += 2) {
    const match = offsets[place] as number
    while (at.end < match) {
      const line_start = at.end + 1
      at = { line: at.line + 1, line_start, end: findEnd(bytes, line_start, ending) }
      ;[column, column_at] = [1, line_start]
    }
    column += bytes.toString('utf8', column_at, match).length
    column_at = match
    found.push({ line: at.line, column, content: cutLine(text, at.line_start, at.end, match) })
  }
  return found
}

/** Where the line ends; the end of the text where no end of a line follows. */
function findEnd(bytes: Buffer, from: number, ending: number): number {
  const at = bytes.indexOf(ending, from)
  return at < 0 ? bytes.length : at
}

function cutLine(text: ShownText, line_start: number, end: number, match: number): string {
  const { bytes } = text
  const line_end = end > line_start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
  if (line_end - line_start <= SNIPPET_MAX_BYTES) return bytes.toString('utf8', line_start, line_end)
  const wanted = Math.max(line_start, match - SNIPPET_BEFORE_BYTES)
  const from = beginning(text, wanted)
  const to = beginning(text, Math.min(line_end, wanted + SNIPPET_MAX_BYTES))
  const [before, after] = [from > line_start ? CUT : '', to < line_end ? CUT : '']
  return before + bytes.toString('utf8', from, to) + after
}

/** Back to the first byte of the character, and of the mark: half of one would not be known for a mark. */
function beginning({ bytes, marks }: ShownText, at: number): number {
  const mark = marks.find(({ start, end }) => start < at && at < end)
  let start = mark?.start ?? at
  while (start > 0 && start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1
  return start
}
