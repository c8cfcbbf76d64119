import type { Hub } from '../../../operations/hub.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { RunCause, RunState } from './run-state.ts'
import { wakeRuns } from './run-work.ts'
import { tellRunEvent } from './tell-run-event.ts'

/** A run as it is stored. `owner`, `fence` and `lease_until` say which hub works on it. */
export interface RunRow {
  run_id: string
  connection_id: string
  /** The connection while the run lives, so that there is one at a time. */
  live_key: string | null
  cause: RunCause
  state: RunState
  attempt: number
  max_attempts: number
  queued_at: string
  run_at: string
  started_at: string | null
  ended_at: string | null
  owner: string | null
  /** Grows with each hub that takes the run: who holds an older one can write nothing. */
  fence: number
  lease_until: string | null
  cancel_reason: string | null
  progress_json: string
  fault_code: string | null
  fault_text: string | null
  requested_by: string
}

/** How far a run has come. */
export interface Progress {
  pages: number
  /** Records seen, whether or not they were new. */
  records: number
  changed: number
  removed: number
  bytes: number
  /** How many records there will be in all, where the source says so. */
  total: number | null
}

export const NO_PROGRESS: Progress = { pages: 0, records: 0, changed: 0, removed: 0, bytes: 0, total: null }

/** So often a run is tried before it has failed. */
const ATTEMPT_LIMIT = 5

const COLUMNS = `run_id, connection_id, live_key, cause, state, attempt, max_attempts, queued_at, run_at, started_at,
  ended_at, owner, fence, lease_until, cancel_reason, progress_json, fault_code, fault_text, requested_by`

// Changes nothing, but lets only one transaction at a time decide about the connection.
const lockConnection = sql('UPDATE connections SET last_seq = last_seq WHERE connection_id = ?')
const lockActive = sql(
  `UPDATE connections SET last_seq = last_seq WHERE connection_id = ? AND status = 'active'`,
)
const lockById = sql('UPDATE collection_runs SET fence = fence WHERE run_id = ?')
const liveRun = sql<{ run_id: string }>('SELECT run_id FROM collection_runs WHERE live_key = ?')
const byId = sql<RunRow>(`SELECT ${COLUMNS} FROM collection_runs WHERE run_id = ?`)
const insert = sql(
  `INSERT INTO collection_runs (${COLUMNS})
   VALUES (?, ?, ?, ?, 'queued', 0, ?, ?, ?, NULL, NULL, NULL, 0, NULL, NULL, ?, NULL, NULL, ?)
   ON CONFLICT DO NOTHING`,
)
const replace = sql(
  `UPDATE collection_runs SET live_key = ?, state = ?, attempt = ?, run_at = ?, started_at = ?, ended_at = ?,
     owner = ?, fence = ?, lease_until = ?, cancel_reason = ?, progress_json = ?, fault_code = ?, fault_text = ?
   WHERE run_id = ?`,
)
const page = sql<RunRow>(
  `SELECT ${COLUMNS} FROM collection_runs WHERE connection_id = ? AND (queued_at, run_id) < (?, ?)
   ORDER BY queued_at DESC, run_id DESC LIMIT ?`,
)
const live = sql<RunRow>(
  `SELECT ${COLUMNS} FROM collection_runs WHERE live_key IS NOT NULL ORDER BY live_key LIMIT ?`,
)
const eraseEvents = sql(
  'DELETE FROM collection_run_events WHERE run_id IN (SELECT run_id FROM collection_runs WHERE connection_id = ?)',
)
const erase = sql('DELETE FROM collection_runs WHERE connection_id = ?')
const eraseWatch = sql('DELETE FROM connection_watches WHERE connection_id = ?')

/** Whether a run of the connection is under way or waits. No other can begin until the transaction ends. */
export async function hasActiveRun(tx: Transaction, connection_id: string): Promise<boolean> {
  await tx.run(lockConnection, connection_id)
  return (await tx.get(liveRun, connection_id)) !== undefined
}

export interface WantedRun {
  readonly connection_id: string
  readonly cause: RunCause
  /** Who wants it: a caller's id, or the hub. */
  readonly requested_by: string
}

/** Puts a run in the queue, or tells why there is none: the connection is not active, or has a run already. */
export async function startRun(
  tx: Transaction,
  hub: Hub,
  { connection_id, cause, requested_by }: WantedRun,
): Promise<{ run_id: string } | 'inactive' | 'run_already_active'> {
  if ((await tx.run(lockActive, connection_id)) === 0) return 'inactive'
  // Looked for first: an insert would wait for whoever writes to the run that there is.
  if (await tx.get(liveRun, connection_id)) return 'run_already_active'
  const run_id = `run_${hub.system.random(16)}`
  const at = hub.system.now().toISOString()
  const values = [run_id, connection_id, connection_id, cause, ATTEMPT_LIMIT, at, at]
  const made = await tx.run(insert, ...values, JSON.stringify(NO_PROGRESS), requested_by)
  if (made === 0) return 'run_already_active'
  await tellRunEvent(tx, hub, { run_id, connection_id, at, type: 'run.queued', data: { cause } })
  wakeRuns(tx, hub)
  return { run_id }
}

export async function findRun(db: Reader, run_id: string): Promise<RunRow | undefined> {
  return db.get(byId, run_id)
}

/** A run that no other transaction can change until this one has ended. */
export async function lockRun(tx: Transaction, run_id: string): Promise<RunRow | undefined> {
  if ((await tx.run(lockById, run_id)) === 0) return undefined
  return tx.get(byId, run_id)
}

/** Writes what may change of a run; it has been locked before. */
export async function writeRun(tx: Transaction, row: RunRow): Promise<void> {
  const { live_key, state, attempt, run_at, started_at, ended_at, owner, fence, lease_until } = row
  const { cancel_reason, progress_json, fault_code, fault_text, run_id } = row
  const moved = [live_key, state, attempt, run_at, started_at, ended_at, owner, fence, lease_until]
  await tx.run(replace, ...moved, cancel_reason, progress_json, fault_code, fault_text, run_id)
}

/** The run of a connection that is under way or waits. */
export async function findLiveRun(db: Reader, connection_id: string): Promise<RunRow | undefined> {
  const found = await db.get(liveRun, connection_id)
  return found && findRun(db, found.run_id)
}

/** Runs of a connection, newest first, from a place on. */
export async function listRuns(
  db: Reader,
  wanted: { connection_id: string; after: { at: string; id: string }; limit: number },
): Promise<RunRow[]> {
  return db.all(page, wanted.connection_id, wanted.after.at, wanted.after.id, wanted.limit)
}

/** Runs that are under way or wait, of all connections. */
export async function listLiveRuns(db: Reader, limit: number): Promise<RunRow[]> {
  return db.all(live, limit)
}

/** Erases the history of a connection's runs, and who watches its source. */
export async function eraseRuns(tx: Transaction, connection_id: string): Promise<number> {
  await tx.run(eraseEvents, connection_id)
  await tx.run(eraseWatch, connection_id)
  return tx.run(erase, connection_id)
}

export function progressOf({ progress_json }: Pick<RunRow, 'progress_json'>): Progress {
  return JSON.parse(progress_json) as Progress
}
