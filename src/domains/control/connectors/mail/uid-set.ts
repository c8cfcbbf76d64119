import type { Json } from '../connector.ts'

/** Whole numbers as runs of neighbours, so that a mailbox of many messages is told in few. */
export type UidRanges = readonly (readonly [first: number, last: number])[]

/** Runs of neighbours in a list of numbers. */
export function toRanges(uids: Iterable<number>): UidRanges {
  const ranges: [number, number][] = []
  for (const uid of [...uids].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && uid <= last[1] + 1) last[1] = Math.max(last[1], uid)
    else ranges.push([uid, uid])
  }
  return ranges
}

/** The numbers of some runs, at most so many. */
export function* numbersIn(ranges: UidRanges, limit: number): Generator<number> {
  let left = limit
  for (const [first, last] of ranges) for (let uid = first; uid <= last && left-- > 0; uid++) yield uid
}

/** The runs in a checkpoint; none where it cannot be read. */
export function readRanges(value: Json | undefined): UidRanges {
  const pairs = Array.isArray(value) ? (value as readonly Json[]) : []
  return pairs.filter((pair): pair is [number, number] => {
    const [first, last] = Array.isArray(pair) ? (pair as readonly Json[]) : []
    return Number.isSafeInteger(first) && Number.isSafeInteger(last) && Number(first) <= Number(last)
  })
}
