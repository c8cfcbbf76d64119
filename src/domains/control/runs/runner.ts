import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { restWhileLocked } from '../../../operations/rest-while-locked.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { sql } from '../../../platform/storage/database.ts'
import { openWorker } from '../../../platform/work/worker.ts'
import { claimRun } from './run-moves.ts'
import { RUN_WORKER, runWork } from './run-work.ts'
import { workOnRun } from './work-on-run.ts'

/** Runs that one hub works on at once. */
const SLOTS = 8

const due = sql<{ run_id: string }>(
  `SELECT run_id FROM collection_runs WHERE state = 'queued' AND run_at <= ? ORDER BY run_at, run_id LIMIT ?`,
)

/** The one runner of a hub that serves; it ends with the hub. */
export const runnerOf = (hub: Hub) => partOf(hub, openRunner)

function openRunner(hub: Hub) {
  const runner = openWorker({
    ...restWhileLocked(hub),
    db: hub.db,
    system: hub.system,
    table: runWork,
    slots: SLOTS,
    async find(time, limit) {
      // The abandoned come first: however many wait, they are not left behind.
      const lost = await runWork.listAbandoned(hub.db, time, limit)
      const now = hub.system.now().toISOString()
      return [...lost, ...(await hub.db.all(due, now, limit - lost.length))]
    },
    claim: (tx, { run_id }, owner) => claimRun(tx, hub, run_id, owner),
    work: (task) => workOnRun(hub, task),
    onFault: (error) => reportFault(hub.log, 'collection_runs', error),
  })
  hub.workers.set(RUN_WORKER, runner)
  hub.closing.push(runner.close)
  return runner
}
