import { type Reader, sql, type Transaction } from '../../storage/database.ts'
import type { Embedder, KnowledgeDocument, KnowledgeStore } from '../knowledge.ts'

/** Records of one step, and how much they may weigh together; one is always taken. */
const STEP_RECORDS = 50
const STEP_CHARS = 262_144
const STEP_REMOVALS = 500
const STREAMS_MAX = 1_000

export interface StoredRecord {
  readonly connection_id: string
  readonly stream: string
  readonly record_key: string
  readonly seq: number
  readonly hash: string
  readonly data_json: string
}

/** How far a stream has come. */
export interface StreamState {
  readonly stream: string
  readonly last_seq: number
}

/** What changed in a stream between two places. */
export interface RecordStep {
  readonly connection_id: string
  readonly stream: string
  readonly after: number
  readonly until: number
  readonly records: readonly StoredRecord[]
  readonly removed_keys: readonly string[]
}

const streamsOf = sql<StreamState>(
  'SELECT stream, last_seq FROM record_streams WHERE connection_id = ? ORDER BY stream LIMIT ?',
)
// Sizes first: how much a step weighs is known before it is read.
const sizes = sql<{ seq: number; size: number }>(
  `SELECT seq, LENGTH(data_json) AS size FROM records
   WHERE connection_id || '/' || stream = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
)
const range = sql<StoredRecord>(
  `SELECT connection_id, stream, record_key, seq, hash, data_json FROM records
   WHERE connection_id || '/' || stream = ? AND seq > ? AND seq <= ? ORDER BY seq`,
)
const removals = sql<{ record_key: string; seq: number }>(
  `SELECT record_key, seq FROM record_removals
   WHERE connection_id = ? AND stream = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
)
const findConnection = sql<{ connection_id: string }>(
  'SELECT connection_id FROM connections WHERE connection_id = ?',
)

/** The streams of a connection. */
export function listStreamStates(db: Reader, connection_id: string): Promise<StreamState[]> {
  return db.all(streamsOf, connection_id, STREAMS_MAX)
}

/** Whether there is such a connection, whatever its status. */
export async function hasConnection(db: Reader, connection_id: string): Promise<boolean> {
  return (await db.get(findConnection, connection_id)) !== undefined
}

/** Reads the next changes of a stream after a place. */
export async function readStep(
  db: Reader,
  connection_id: string,
  { stream, last_seq }: StreamState,
  after: number,
): Promise<RecordStep> {
  const place = `${connection_id}/${stream}`
  const found = await db.all(sizes, place, after, last_seq, STEP_RECORDS + 1)
  let chars = 0
  const fitting = found
    .slice(0, STEP_RECORDS)
    .filter(({ size }, at) => (chars += size) <= STEP_CHARS || at === 0)
  const records_until = fitting.length < found.length ? (fitting.at(-1)?.seq ?? last_seq) : last_seq
  const gone = await db.all(removals, connection_id, stream, after, records_until, STEP_REMOVALS + 1)
  const until = gone.length > STEP_REMOVALS ? (gone[STEP_REMOVALS - 1]?.seq ?? after) : records_until
  const records = await db.all(range, place, after, until)
  const removed_keys = gone.filter(({ seq }) => seq <= until).map(({ record_key }) => record_key)
  return { connection_id, stream, after, until, records, removed_keys }
}

/** How far the records of a stream are in the index. */
export interface RecordCursor {
  readonly connection_id: string
  readonly stream: string
  readonly seq: number
}

/** A step as it goes into the index. */
export interface IndexedStep extends RecordCursor {
  readonly after: number
  readonly documents: readonly KnowledgeDocument[]
  readonly gone: readonly string[]
}

/** Where a hub's index of records lies. All changes are made within a transaction of the hub. */
export interface RecordPlace {
  readonly store: Pick<KnowledgeStore, 'search' | 'listDocuments'>
  listCursors(): Promise<RecordCursor[]>
  /** Takes a step in, where the connection is still there and the index is where the step begins; says whether. */
  apply(tx: Transaction, embedder: Embedder, step: IndexedStep): Promise<boolean>
  /** Takes out all that is in of a connection. */
  erase(tx: Transaction, connection_id: string): Promise<void>
  close(): Promise<void>
}
