import type { AuditRecord } from '../../parts/bars'

/** Records in the parts in which they came. A long list is not copied for each part that is added. */
export interface RecordList {
  readonly length: number
  slice(first: number, last: number): readonly AuditRecord[]
  at(place: number): AuditRecord | undefined
  placeOf(seq: number | undefined): number
}

export function listOf(parts: readonly (readonly AuditRecord[])[]): RecordList {
  const starts: number[] = []
  let length = 0
  for (const part of parts) {
    starts.push(length)
    length += part.length
  }
  const slice = (first: number, last: number) =>
    parts.flatMap((part, number) => {
      const start = starts[number] as number
      return part.slice(Math.max(0, first - start), Math.max(0, last - start))
    })
  return {
    length,
    slice,
    at: (place) => slice(place, place + 1)[0],
    placeOf(seq) {
      for (const [number, part] of parts.entries()) {
        const place = part.findIndex((one) => one.seq === seq)
        if (place >= 0) return (starts[number] as number) + place
      }
      return -1
    },
  }
}
