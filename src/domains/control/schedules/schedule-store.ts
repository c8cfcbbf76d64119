import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import { nextRunAt, type Timing } from './next-run.ts'

/** A schedule as it is stored. A paused one has no next run. */
export interface ScheduleRow extends Timing {
  connection_id: string
  enabled: number
  next_run_at: string | null
  created_at: string
  updated_at: string
}

const COLUMNS =
  'connection_id, cron, interval_seconds, timezone, enabled, next_run_at, created_at, updated_at'
const byConnection = sql<ScheduleRow>(`SELECT ${COLUMNS} FROM connection_schedules WHERE connection_id = ?`)
const put = sql(
  `INSERT INTO connection_schedules (${COLUMNS}) VALUES (?, ?, ?, ?, 1, ?, ?, ?)
   ON CONFLICT (connection_id) DO UPDATE SET cron = excluded.cron, interval_seconds = excluded.interval_seconds,
     timezone = excluded.timezone, enabled = 1, next_run_at = excluded.next_run_at, updated_at = excluded.updated_at`,
)
const enable = sql(
  'UPDATE connection_schedules SET enabled = ?, next_run_at = ?, updated_at = ? WHERE connection_id = ?',
)
const remove = sql('DELETE FROM connection_schedules WHERE connection_id = ?')

export function findSchedule(db: Reader, connection_id: string): Promise<ScheduleRow | undefined> {
  return db.get(byConnection, connection_id)
}

/** Gives a connection a schedule in place of the one it has. Throws a `TimingFault` for one that never comes. */
export async function putSchedule(
  tx: Transaction,
  connection_id: string,
  timing: Timing,
  now: Date,
): Promise<void> {
  const { cron, interval_seconds, timezone } = timing
  const next = nextRunAt(timing, now).toISOString()
  const at = now.toISOString()
  await tx.run(put, connection_id, cron, interval_seconds, timezone, next, at, at)
}

/** Pauses a schedule or resumes it; a paused one keeps its times. Doing so twice changes nothing more. */
export async function enableSchedule(
  tx: Transaction,
  schedule: ScheduleRow,
  enabled: boolean,
  now: Date,
): Promise<void> {
  if ((schedule.enabled === 1) === enabled) return
  const next = enabled ? nextRunAt(schedule, now).toISOString() : null
  await tx.run(enable, Number(enabled), next, now.toISOString(), schedule.connection_id)
}

/** Takes a schedule away. Answers whether there was one. */
export async function removeSchedule(tx: Transaction, connection_id: string): Promise<boolean> {
  return (await tx.run(remove, connection_id)) === 1
}
