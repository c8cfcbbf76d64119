import type { LinkedRecord } from './record-shapes.ts'

/** Records with the hashes that they build on. */
export function linkRecords(
  records: readonly Omit<LinkedRecord, 'previous_hash'>[],
  first_previous: string,
): LinkedRecord[] {
  return records.map((record, at) => ({ ...record, previous_hash: records[at - 1]?.hash ?? first_previous }))
}
