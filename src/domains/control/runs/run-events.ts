import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'

export const RUN_EVENT_TYPES = [
  'run.queued',
  'run.started',
  'run.progress',
  'run.retried',
  'run.cancelling',
  'run.succeeded',
  'run.failed',
  'run.cancelled',
] as const
export type RunEventType = (typeof RUN_EVENT_TYPES)[number]

/** Something that happened to a run. Its data never holds what was collected. */
export interface RunEvent {
  readonly run_id: string
  readonly at: string
  readonly type: RunEventType
  readonly data: Readonly<Record<string, unknown>>
}

export interface StoredRunEvent extends RunEvent {
  readonly seq: number
}

interface EventRow {
  run_id: string
  seq: number
  at: string
  type: RunEventType
  data_json: string
}

// The run's row is locked by whoever adds an event, so that numbers are given out in turn.
const add = sql(
  `INSERT INTO collection_run_events (run_id, seq, at, type, data_json)
   SELECT ?, COALESCE(MAX(seq), 0) + 1, ?, ?, ? FROM collection_run_events WHERE run_id = ?`,
)
const after = sql<EventRow>(
  `SELECT run_id, seq, at, type, data_json FROM collection_run_events
   WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
)

/** Adds an event to a run that the transaction has made or locked. */
export async function addRunEvent(tx: Transaction, { run_id, at, type, data }: RunEvent): Promise<void> {
  await tx.run(add, run_id, at, type, JSON.stringify(data), run_id)
}

/** The events of a run from a place on, oldest first. */
export async function listRunEvents(
  db: Reader,
  wanted: { run_id: string; after: number; limit: number },
): Promise<StoredRunEvent[]> {
  const rows = await db.all(after, wanted.run_id, wanted.after, wanted.limit)
  return rows.map(({ data_json, ...event }) => ({ ...event, data: JSON.parse(data_json) }))
}
