import type { Hub } from '../../../operations/hub.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { defineWork } from '../../../platform/work/work-table.ts'

/** Runs are leased in their own rows: a run that is claimed is one that a hub collects. */
export const runWork = defineWork({
  table: 'collection_runs',
  key: ['run_id'],
  fence: 'fence',
  open: `state IN ('queued', 'running', 'cancelling')`,
  wanted: `state = 'running'`,
})

/** Under which name a hub that collects is told of runs. */
export const RUN_WORKER = 'collection_runs'

/** Tells this hub, where it collects, that a run is due or is to stop, as soon as that is committed. */
export function wakeRuns(tx: Transaction, hub: Hub): void {
  tx.afterCommit(() => hub.workers.get(RUN_WORKER)?.wake())
}
