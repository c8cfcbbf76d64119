import type { Hub } from '../../../operations/hub.ts'
import { mayBeginNothing } from '../../../operations/rest-while-locked.ts'
import { sql } from '../../../platform/storage/database.ts'
import { fireSchedules, mendSchedules } from '../schedules/fire-schedules.ts'
import { runnerOf } from './runner.ts'
import { watchSources } from './watch-sources.ts'

/** The history of runs is kept this long. */
const KEPT_MS = 90 * 86_400_000
const PURGE_BATCH = 500

const old = sql<{ run_id: string }>(
  `SELECT run_id FROM collection_runs WHERE state IN ('succeeded', 'failed', 'cancelled') AND run_at < ? LIMIT ?`,
)
const removeEvents = sql('DELETE FROM collection_run_events WHERE run_id = ?')
const removeRun = sql('DELETE FROM collection_runs WHERE run_id = ?')

async function workOnRuns(hub: Hub): Promise<void> {
  if (await mayBeginNothing(hub)) return
  await fireSchedules(hub)
  await runnerOf(hub).look()
}

async function purgeRuns(hub: Hub): Promise<void> {
  const before = new Date(hub.system.now().getTime() - KEPT_MS).toISOString()
  const found = (await hub.db.all(old, before, PURGE_BATCH)).map(({ run_id }) => [run_id])
  if (found.length === 0) return
  await hub.db.transaction(async (tx) => {
    await tx.runEach(removeEvents, found)
    await tx.runEach(removeRun, found)
  })
}

/** What a hub that serves does by itself about runs. */
export const runChores = [
  { name: 'work on runs', every_ms: 2_000, run: workOnRuns },
  { name: 'mend schedules', every_ms: 60_000, run: async (hub: Hub) => void (await mendSchedules(hub)) },
  { name: 'watch sources', every_ms: 3_000, run: watchSources },
  { name: 'purge old runs', every_ms: 3_600_000, run: purgeRuns },
]
