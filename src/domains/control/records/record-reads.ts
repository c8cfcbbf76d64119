import { type Reader, sql } from '../../../platform/storage/database.ts'
import type { RecordRow, RemovalRow, StreamRow } from './record-store.ts'

/** What one answer may hold of records, whatever number was asked for; one record is always given. */
const ANSWER_LIMIT_BYTES = 4_194_304
const STREAM_LIMIT = 1_000

const streams = sql<StreamRow>(
  `SELECT stream, record_count, last_seq, updated_at FROM record_streams WHERE connection_id = ?
   ORDER BY stream LIMIT ?`,
)
const oneStream = sql<StreamRow>(
  'SELECT stream, record_count, last_seq, updated_at FROM record_streams WHERE connection_id = ? AND stream = ?',
)
// Sizes first: how much a page weighs is known before it is read.
const sizes = sql<{ seq: number; size: number }>(
  `SELECT seq, LENGTH(data_json) AS size FROM records
   WHERE connection_id || '/' || stream = ? AND seq > ? ORDER BY seq LIMIT ?`,
)
const range = sql<RecordRow>(
  `SELECT connection_id, stream, record_key, seq, hash, data_json, updated_at FROM records
   WHERE connection_id || '/' || stream = ? AND seq > ? AND seq <= ? ORDER BY seq`,
)
const removed = sql<RemovalRow>(
  `SELECT record_key, seq, removed_at FROM record_removals WHERE connection_id = ? AND stream = ? AND seq > ?
   ORDER BY seq LIMIT ?`,
)
const byKey = sql<RecordRow>(
  `SELECT connection_id, stream, record_key, seq, hash, data_json, updated_at FROM records
   WHERE connection_id = ? AND stream = ? AND record_key = ?`,
)

export function listStreams(db: Reader, connection_id: string): Promise<StreamRow[]> {
  return db.all(streams, connection_id, STREAM_LIMIT)
}

export function findStream(
  db: Reader,
  connection_id: string,
  stream: string,
): Promise<StreamRow | undefined> {
  return db.get(oneStream, connection_id, stream)
}

export function findRecord(
  db: Reader,
  wanted: { connection_id: string; stream: string; key: string },
): Promise<RecordRow | undefined> {
  return db.get(byKey, wanted.connection_id, wanted.stream, wanted.key)
}

export interface RecordsWanted {
  readonly connection_id: string
  readonly stream: string
  readonly after: number
  readonly limit: number
}

export interface RecordsFound {
  readonly records: RecordRow[]
  /** The place of the last one, where there are more. */
  readonly next: number | undefined
}

/** Records in the order in which they came or changed, from a place on, within what an answer may hold. */
export async function listRecords(db: Reader, wanted: RecordsWanted): Promise<RecordsFound> {
  const { connection_id, stream, after, limit } = wanted
  const place = `${connection_id}/${stream}`
  const found = await db.all(sizes, place, after, limit + 1)
  let bytes = 0
  const fitting = found
    .slice(0, limit)
    .filter(({ size }, at) => (bytes += size) <= ANSWER_LIMIT_BYTES || at === 0)
  const last = fitting.at(-1)
  if (!last) return { records: [], next: undefined }
  const records = await db.all(range, place, after, last.seq)
  return { records, next: fitting.length < found.length ? last.seq : undefined }
}

/** Records that are gone, from a place on. */
export function listRemovals(db: Reader, wanted: RecordsWanted): Promise<RemovalRow[]> {
  return db.all(removed, wanted.connection_id, wanted.stream, wanted.after, wanted.limit)
}
