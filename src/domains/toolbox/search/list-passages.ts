import type { LocatedMatch, Passage } from './search-job.ts'
import { SNIPPET_BEFORE_BYTES, SNIPPET_MAX_BYTES } from './search-limits.ts'

/** A private key of 4096 bits fits in: who sees a line in its midst sees where it begins, too. */
const CONTEXT_BEFORE_BYTES = 4_096
const CONTEXT_AFTER_BYTES = 512
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Offsets in bytes. */
interface Shown {
  readonly line: number
  readonly column: number
  readonly line_start: number
  readonly line_end: number
  readonly from: number
  readonly to: number
}

interface Stretch {
  readonly start: number
  end: number
  readonly shown: Shown[]
}

/** What is to be shown of the first matches in a text, with what stands around them. */
export function listPassages(text: Buffer, offsets: readonly number[], limit: number): Passage[] {
  const stretches: Stretch[] = []
  for (const shown of showMatches(text, offsets, limit)) {
    const start = charStart(text, Math.max(0, shown.from - CONTEXT_BEFORE_BYTES))
    const end = charStart(text, Math.min(text.length, shown.to + CONTEXT_AFTER_BYTES))
    const last = stretches.at(-1)
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end)
      last.shown.push(shown)
    } else stretches.push({ start, end, shown: [shown] })
  }
  return stretches.map((stretch) => toPassage(text, stretch))
}

function toPassage(text: Buffer, { start, end, shown }: Stretch): Passage {
  const passage = text.toString('utf8', start, end)
  const is_ascii = passage.length === end - start
  const indexOf = (at: number) => (is_ascii ? at - start : text.toString('utf8', start, at).length)
  const matches = shown.map(
    ({ line, column, line_start, line_end, from, to }): LocatedMatch => ({
      line,
      column,
      from: indexOf(from),
      to: indexOf(to),
      is_cut_before: from > line_start,
      is_cut_after: to < line_end,
    }),
  )
  return { text: passage, matches }
}

/** Goes through the text once: lines and columns are counted on from the match before. */
function showMatches(text: Buffer, offsets: readonly number[], limit: number): Shown[] {
  const shown: Shown[] = []
  let at = { line: 1, line_start: 0, feed: findFeed(text, 0) }
  let [column, column_at] = [1, 0]
  for (let place = 0; place < offsets.length && shown.length < limit; place += 2) {
    const match = offsets[place] as number
    while (at.feed < match) {
      const line_start = at.feed + 1
      at = { line: at.line + 1, line_start, feed: findFeed(text, line_start) }
      ;[column, column_at] = [1, line_start]
    }
    column += text.toString('utf8', column_at, match).length
    column_at = match
    const { line, line_start, feed } = at
    const line_end = feed > line_start && text[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed
    shown.push({ line, column, line_start, line_end, ...cutLine(text, line_start, line_end, match) })
  }
  return shown
}

/** Where the line ends; the end of the text where no line feed follows. */
function findFeed(text: Buffer, from: number): number {
  const feed = text.indexOf(LINE_FEED, from)
  return feed < 0 ? text.length : feed
}

function cutLine(text: Buffer, line_start: number, line_end: number, match: number) {
  if (line_end - line_start <= SNIPPET_MAX_BYTES) return { from: line_start, to: line_end }
  const from = Math.max(line_start, match - SNIPPET_BEFORE_BYTES)
  const to = Math.min(line_end, from + SNIPPET_MAX_BYTES)
  return { from: charStart(text, from), to: charStart(text, to) }
}

/** Back to the first byte of the character. */
function charStart(text: Buffer, at: number): number {
  let start = at
  while (start > 0 && start < text.length && ((text[start] as number) & 0xc0) === 0x80) start -= 1
  return start
}
