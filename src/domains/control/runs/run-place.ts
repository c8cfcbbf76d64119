import type { RunRow } from './run-store.ts'

/** Before the newest run: sorts after every moment. */
const FIRST = { at: '~', id: '~' }
const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\|([A-Za-z0-9_]{1,100})$/

/** Where a page of runs ends, as a text that only this list reads. */
export function runPlace({ queued_at, run_id }: RunRow): string {
  return Buffer.from(`${queued_at}|${run_id}`).toString('base64url')
}

/** The place that a text stands for; nothing for one that is none of ours. */
export function findRunPlace(cursor: string | undefined): { at: string; id: string } | undefined {
  if (cursor === undefined) return FIRST
  const [, at, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return at && id ? { at, id } : undefined
}
