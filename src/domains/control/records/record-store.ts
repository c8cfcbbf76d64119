import { hash as digest } from 'node:crypto'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { CollectedRecord, Json, Page } from '../connectors/connector.ts'
import { batchedKeys, batchedRows } from './batched-rows.ts'

/** A record as it is stored. */
export interface RecordRow {
  connection_id: string
  stream: string
  record_key: string
  /** Grows with each change of the connection's records: where a reader goes on. */
  seq: number
  hash: string
  data_json: string
  updated_at: string
}

export interface StreamRow {
  stream: string
  record_count: number
  last_seq: number
  updated_at: string
}

export interface RemovalRow {
  record_key: string
  seq: number
  removed_at: string
}

// The first statement of a page: from here on nobody else decides about the connection.
const lockActive = sql<{ last_seq: number }>(
  `UPDATE connections SET last_seq = last_seq WHERE connection_id = ? AND status = 'active' RETURNING last_seq`,
)
const putCheckpoint = sql(
  `INSERT INTO connection_checkpoints (connection_id, checkpoint_json, updated_at) VALUES (?, ?, ?)
   ON CONFLICT (connection_id) DO UPDATE SET
     checkpoint_json = excluded.checkpoint_json, updated_at = excluded.updated_at`,
)
const checkpointOf = sql<{ checkpoint_json: string }>(
  'SELECT checkpoint_json FROM connection_checkpoints WHERE connection_id = ?',
)
const setLastSeq = sql('UPDATE connections SET last_seq = ? WHERE connection_id = ?')
// Key by key, so that no plan made while the table was small reads all of it once it is large.
const hashesOf = batchedKeys<{ record_key: string; hash: string | null }>(
  `SELECT k.column1 AS record_key, (SELECT r.hash FROM records r
     WHERE r.connection_id = ? AND r.stream = ? AND r.record_key = k.column1) AS hash
   FROM (VALUES @keys) AS k`,
)
const INSERT =
  'INSERT INTO records (connection_id, stream, record_key, seq, hash, data_json, updated_at) VALUES'
const add = batchedRows(`${INSERT} @rows`, 7)
const change = batchedRows(
  `${INSERT} @rows ON CONFLICT (connection_id, stream, record_key) DO UPDATE SET
     seq = excluded.seq, hash = excluded.hash, data_json = excluded.data_json, updated_at = excluded.updated_at`,
  7,
)
const remove = sql('DELETE FROM records WHERE connection_id = ? AND stream = ? AND record_key = ?')
const putRemovals = batchedRows(
  'INSERT INTO record_removals (connection_id, stream, seq, record_key, removed_at) VALUES @rows',
  5,
)
const countStream = sql(
  `INSERT INTO record_streams (connection_id, stream, record_count, last_seq, updated_at) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (connection_id, stream) DO UPDATE SET
     record_count = record_streams.record_count + excluded.record_count,
     last_seq = excluded.last_seq, updated_at = excluded.updated_at`,
)

/** What a page changed. */
export interface PageEffect {
  readonly created: number
  readonly updated: number
  readonly removed: number
  /** The place before the first of these changes, and of the last. */
  readonly before_seq: number
  readonly last_seq: number
}

/** The connection was revoked or deleted: nothing more is collected for it. */
export class ConnectionInactive extends Error {
  override readonly name = 'ConnectionInactive'
}

/** Keeps a page with the mark from which to go on after it. What is unchanged costs no write. */
export async function applyPage(
  tx: Transaction,
  connection_id: string,
  page: Page,
  at: string,
): Promise<PageEffect> {
  const found = await tx.get(lockActive, connection_id)
  if (!found) throw new ConnectionInactive('The connection is not active.')
  await tx.run(putCheckpoint, connection_id, JSON.stringify(page.checkpoint), at)
  const { stream } = page
  const removals = [...new Set(page.removals ?? [])]
  const wanted = lastOfEach(page.upserts)
  const known = await findHashes(tx, connection_id, stream, [...wanted.keys(), ...removals])
  const before_seq = found.last_seq
  let seq = before_seq
  const rows = [...wanted]
    .filter(([key, { hash }]) => known.get(key) !== hash)
    .map(([key, { hash, text }]) => [connection_id, stream, key, ++seq, hash, text, at] as const)
  const fresh = rows.filter(([, , key]) => !known.has(key))
  await add(tx, fresh)
  if (fresh.length < rows.length)
    await change(
      tx,
      rows.filter(([, , key]) => known.has(key)),
    )
  const gone = removals.filter((key) => known.has(key) && !wanted.has(key))
  await tx.runEach(
    remove,
    gone.map((key) => [connection_id, stream, key]),
  )
  await putRemovals(
    tx,
    gone.map((key) => [connection_id, stream, ++seq, key, at]),
  )
  if (seq > before_seq) {
    await tx.run(countStream, connection_id, stream, fresh.length - gone.length, seq, at)
    await tx.run(setLastSeq, seq, connection_id)
  }
  const updated = rows.length - fresh.length
  return { created: fresh.length, updated, removed: gone.length, before_seq, last_seq: seq }
}

/** What is known of records already: by it is seen what is new and what is as it was. */
async function findHashes(
  tx: Transaction,
  connection_id: string,
  stream: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await hashesOf(tx, [connection_id, stream], keys)
  return new Map(rows.flatMap(({ record_key, hash }) => (hash === null ? [] : [[record_key, hash]])))
}

/** A source that names a record twice in a page means the later one. */
function lastOfEach(upserts: readonly CollectedRecord[]): Map<string, { hash: string; text: string }> {
  const wanted = new Map<string, { hash: string; text: string }>()
  for (const { key, data } of upserts) {
    const text = JSON.stringify(data)
    wanted.set(key, { hash: digest('sha256', text, 'base64url'), text })
  }
  return wanted
}

/** The mark from which the next run goes on; nothing before the first page. */
export async function findCheckpoint(db: Reader, connection_id: string): Promise<Json> {
  const found = await db.get(checkpointOf, connection_id)
  return found ? (JSON.parse(found.checkpoint_json) as Json) : null
}

const eraseRows = sql('DELETE FROM records WHERE connection_id = ?')
const eraseStreams = sql('DELETE FROM record_streams WHERE connection_id = ?')
const eraseCheckpoint = sql('DELETE FROM connection_checkpoints WHERE connection_id = ?')
const eraseRemovals = sql('DELETE FROM record_removals WHERE connection_id = ?')

/** Erases all that was collected by a connection, and how far it was. */
export async function eraseRecords(
  tx: Transaction,
  connection_id: string,
): Promise<{ deleted_record_count: number; deleted_stream_count: number }> {
  const deleted_record_count = await tx.run(eraseRows, connection_id)
  await tx.run(eraseRemovals, connection_id)
  await tx.run(eraseCheckpoint, connection_id)
  const deleted_stream_count = await tx.run(eraseStreams, connection_id)
  return { deleted_record_count, deleted_stream_count }
}
