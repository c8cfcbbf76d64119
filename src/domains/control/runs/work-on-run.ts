import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { StorageDamaged, StorageUnavailable, type Transaction } from '../../../platform/storage/database.ts'
import { type Task, type WorkStop, WorkStopped } from '../../../platform/work/work-kind.ts'
import { SourceFault } from '../connectors/connector.ts'
import { ConnectionInactive } from '../records/record-store.ts'
import { collectPages, openConnection } from './collect-pages.ts'
import { asSourceFault, faultOf, retryAt } from './run-fault.ts'
import {
  confirmCancelled,
  endCancelled,
  endFailed,
  endSucceeded,
  type ReleaseReason,
  RunLost,
  releaseRun,
  requireRunning,
  retryLater,
} from './run-moves.ts'
import { keepPage } from './run-page.ts'
import { progressOf, type RunRow } from './run-store.ts'

/** What one run may read. A source that has more is told so, and goes on with the next run. */
const RECORD_LIMIT = 5_000_000
const RUN_LIMIT_MS = 6 * 3_600_000
/** Progress is told no more often, and no more times. */
const TOLD_EVERY_MS = 1_000
const TOLD_LIMIT = 500

/** Collects the run that a hub has claimed until it has ended, is stopped, or is to be tried again later. */
export async function workOnRun(hub: Hub, { claim: row, signal }: Task<RunRow>): Promise<void> {
  try {
    await collect(hub, row, signal)
    await hub.db.transaction((tx) => endSucceeded(tx, hub, row))
  } catch (error) {
    await settle(hub, row, error, signal)
  }
}

async function collect(hub: Hub, row: RunRow, signal: AbortSignal): Promise<void> {
  const opened = await openConnection(hub, row.connection_id)
  const until = performance.now() + RUN_LIMIT_MS
  let progress = progressOf(row)
  let told_at = Number.NEGATIVE_INFINITY
  let told = 0
  for await (const page of collectPages(hub, opened, signal)) {
    const now = performance.now()
    if (now > until || progress.records + page.upserts.length > RECORD_LIMIT)
      throw new SourceFault('too_large', 'The source has more than one run may read.')
    const isTold = told < TOLD_LIMIT && now - told_at >= TOLD_EVERY_MS
    const kept = { page, before: progress, started_at: row.started_at, isTold }
    progress = await hub.db.transaction((tx) => keepPage(tx, hub, row, kept))
    if (!isTold) continue
    told_at = now
    told++
  }
}

/** Writes what becomes of a run that did not come to its end. */
async function settle(hub: Hub, row: RunRow, error: unknown, signal: AbortSignal): Promise<void> {
  const act = settlementOf(hub, row, error, signal)
  try {
    await hub.db.transaction(act)
  } catch (failure) {
    // Cancelled or taken over in this very moment: then it is not ours to say how it ends.
    if (failure instanceof RunLost) await hub.db.transaction((tx) => confirmCancelled(tx, hub, row))
    else throw failure
  }
}

type Settlement = (tx: Transaction) => Promise<unknown>

function settlementOf(hub: Hub, row: RunRow, error: unknown, signal: AbortSignal): Settlement {
  if (signal.aborted || error instanceof RunLost) return stopped(hub, row, signal.reason)
  if (error instanceof ConnectionInactive)
    return async (tx) => endCancelled(tx, hub, await requireRunning(tx, row), 'connection_revoked')
  const fault = asSourceFault(error)
  if (fault?.is_passing) {
    const run_at = retryAt(hub.system, row.attempt, fault.retry_after_seconds)
    return (tx) => retryLater(tx, hub, row, faultOf(fault), run_at)
  }
  // Nothing can be written now: the lease runs out, and whoever can goes on.
  if (error instanceof StorageUnavailable || error instanceof StorageDamaged) throw error
  if (!fault) reportFault(hub.log, 'collect', error)
  const told = fault ? faultOf(fault) : { code: 'collector_failed', text: 'The connector failed.' }
  return async (tx) => endFailed(tx, hub, await requireRunning(tx, row), told)
}

/** Where the run is wanted still, and only this hub, or everything, comes to rest. */
const RELEASED: Partial<Record<WorkStop, ReleaseReason>> = {
  closing: 'hub_stopped',
  locked: 'everything_locked',
}

function stopped(hub: Hub, row: RunRow, stop: unknown): Settlement {
  const reason = stop instanceof WorkStopped ? RELEASED[stop.why] : undefined
  if (reason) return (tx) => releaseRun(tx, hub, row, reason)
  return (tx) => confirmCancelled(tx, hub, row)
}
