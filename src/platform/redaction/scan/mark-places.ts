import type { Mark } from '../mark.ts'
import type { Pair } from './pair.ts'

/** As much around a value tells what it is given to, and as much of it what it is. */
const SEEN_CHARS = 300

export function isInMark(marks: readonly Mark[], at: number): boolean {
  const next = marks[firstAfter(marks, at)]
  return next !== undefined && next[0] <= at
}

/** Marks are in order: the first one that ends behind a place. */
export function firstAfter(marks: readonly Mark[], place: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((marks[middle] as Mark)[1] <= place) low = middle + 1
    else high = middle
  }
  return low
}

/** The line with a space for each mark. */
export function withoutMarks(line: string, marks: readonly Mark[]): string {
  let from = 0
  const pieces = marks.map(([start, end]) => {
    const piece = line.slice(from, start)
    from = end
    return piece
  })
  return [...pieces, line.slice(from)].join(' ')
}

/** A mark beside a value, whoever wrote it there, says nothing of the value: it is judged as if it stood alone. */
export function judgedAlone(line: string, pair: Pair, marks: readonly Mark[]): { line: string; pair: Pair } {
  const before = line.slice(Math.max(0, pair.start - SEEN_CHARS), pair.start)
  const value = outsideMarks(line, pair.start, Math.min(pair.end, pair.start + SEEN_CHARS), marks)
  if (value === undefined) return { line, pair }
  const alone = { ...pair, start: before.length, end: before.length + value.length }
  return { line: before + value + line.slice(pair.end, pair.end + SEEN_CHARS), pair: alone }
}

/** What of a part of a line is no mark; undefined where there is none in it. */
function outsideMarks(line: string, from: number, to: number, marks: readonly Mark[]): string | undefined {
  let text: string | undefined
  let start = from
  for (let at = firstAfter(marks, from); at < marks.length; at++) {
    const mark = marks[at] as Mark
    if (mark[0] >= to) break
    text = (text ?? '') + line.slice(start, mark[0])
    start = mark[1]
  }
  return text === undefined ? undefined : text + line.slice(start, Math.max(start, to))
}
