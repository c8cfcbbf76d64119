import { readNumbers, writeNumbers } from './word-numbers.ts'

/** Four bytes that count changes of settings, and four that name the form. */
const HEADER_BYTES = 8
const FORM = Buffer.from([0xff, 0, 0, 1])
/** Levels, segments, and a counter of what was written. */
const LEAD_NUMBERS = 3
/** A level begins with how many of its segments are being merged, and how many it has. */
const LEVEL_NUMBERS = 2
/** Number, first and last page, first and last origin, pages and entries of removals, and rows. */
const SEGMENT_NUMBERS = 8
const LAST_ORIGIN = 4

/** A segment's number, and the origin that its rows are known by. */
export interface NewSegment {
  readonly id: number
  readonly origin: number
  /** The structure with the segment in it. */
  readonly block: Buffer
}

/** Adds a segment with so many pages and rows to the structure of a full text, as the newest one, if it has the form. */
export function addSegment(block: Uint8Array, pages: number, rows: number): NewSegment | undefined {
  const header = Buffer.from(block.subarray(0, HEADER_BYTES))
  const numbers = readNumbers(block.subarray(HEADER_BYTES))
  const hasForm = header.subarray(HEADER_BYTES - FORM.length).equals(FORM)
  if (!hasForm || !numbers.every(Number.isSafeInteger)) return undefined
  const [levels = 0, segments = 0, written = 0] = numbers
  const known = listSegments(numbers)
  const taken = new Set(known.map(([id]) => id))
  let id = 1
  while (taken.has(id)) id++
  const origin = 1 + Math.max(0, ...known.map((segment) => segment[LAST_ORIGIN] as number))
  const [merging = 0, in_first = 0] = numbers.slice(LEAD_NUMBERS)
  const first_end = LEAD_NUMBERS + (levels === 0 ? 0 : LEVEL_NUMBERS + in_first * SEGMENT_NUMBERS)
  const lead = [Math.max(1, levels), segments + 1, written, merging, in_first + 1]
  const others = numbers.slice(LEAD_NUMBERS + LEVEL_NUMBERS, first_end)
  const added = [id, 1, pages, origin, origin, 0, 0, rows]
  const changed = lead.concat(others, added, numbers.slice(first_end))
  return { id, origin, block: Buffer.concat([header, writeNumbers(changed)]) }
}

function listSegments(numbers: readonly number[]): number[][] {
  const segments: number[][] = []
  for (let at = LEAD_NUMBERS; at < numbers.length; ) {
    const count = numbers[at + 1] as number
    at += LEVEL_NUMBERS
    for (let segment = 0; segment < count && at < numbers.length; segment++, at += SEGMENT_NUMBERS)
      segments.push(numbers.slice(at, at + SEGMENT_NUMBERS))
  }
  return segments
}
