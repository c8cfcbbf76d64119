import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { sql } from '../../../platform/storage/database.ts'
import { holdConnection } from '../connections/connection-store.ts'
import { startRun } from '../runs/run-store.ts'
import { nextRunAt, TimingFault } from './next-run.ts'
import type { ScheduleRow } from './schedule-store.ts'

/** Schedules that are looked at in one go; what is left comes with the next. */
const BATCH = 200

const due = sql<ScheduleRow>(
  `SELECT connection_id, cron, interval_seconds, timezone, enabled, next_run_at, created_at, updated_at
   FROM connection_schedules WHERE enabled = 1 AND next_run_at <= ? ORDER BY next_run_at LIMIT ?`,
)
// Of several hubs only one finds the moment still there.
const advance = sql(
  `UPDATE connection_schedules SET next_run_at = ? WHERE connection_id = ? AND enabled = 1 AND next_run_at = ?`,
)

/** Clocks of several hubs, and one that is set right, differ by less. */
const CLOCK_TOLERANCE_MS = 60_000

const ahead = sql<ScheduleRow>(
  `SELECT connection_id, cron, interval_seconds, timezone, enabled, next_run_at, created_at, updated_at
   FROM connection_schedules WHERE enabled = 1 AND next_run_at > ? AND connection_id > ?
   ORDER BY connection_id LIMIT ?`,
)

/**
 * Works out anew the next moment of schedules that lie further ahead than their timing says: a clock that was wrong
 * has set it, and they would rest until then. Answers how many there were.
 */
export async function mendSchedules(hub: Hub): Promise<number> {
  const now = hub.system.now()
  const latest = new Date(now.getTime() + CLOCK_TOLERANCE_MS)
  let mended = 0
  let after = ''
  for (let count = BATCH; count === BATCH; ) {
    const found = await hub.db.all(ahead, latest.toISOString(), after, BATCH)
    count = found.length
    after = found.at(-1)?.connection_id ?? after
    for (const schedule of found) {
      const { connection_id, next_run_at } = schedule
      const last = findNext(schedule, latest)
      if (last === null || next_run_at === null || next_run_at <= last) continue
      mended += await hub.db.transaction((tx) =>
        tx.run(advance, findNext(schedule, now), connection_id, next_run_at),
      )
    }
  }
  return mended
}

/**
 * Queues a run for every schedule whose moment has come. What was missed while no hub ran is made up for once.
 * A connection that is revoked, or still has a run, waits for its next moment. Answers how many were due.
 */
export async function fireSchedules(hub: Hub): Promise<number> {
  const now = hub.system.now()
  const found = await hub.db.all(due, now.toISOString(), BATCH)
  for (const schedule of found)
    await fire(hub, schedule, now).catch((error: unknown) => reportFault(hub.log, 'schedules', error))
  return found.length
}

function fire(hub: Hub, schedule: ScheduleRow, now: Date): Promise<void> {
  const { connection_id, next_run_at } = schedule
  return hub.db.transaction(async (tx) => {
    const next = findNext(schedule, now)
    // Taken first, as everywhere: the connection, then what hangs on it.
    await holdConnection(tx, connection_id)
    if ((await tx.run(advance, next, connection_id, next_run_at)) === 0) return
    await startRun(tx, hub, { connection_id, cause: 'schedule', requested_by: 'hub' })
  })
}

/** A stored timing always had a next moment; should that no longer be so, it rests. */
function findNext(schedule: ScheduleRow, now: Date): string | null {
  try {
    return nextRunAt(schedule, now).toISOString()
  } catch (error) {
    if (error instanceof TimingFault) return null
    throw error
  }
}
