import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { mayBeginNothing } from '../../../operations/rest-while-locked.ts'
import type { Job, JobStop } from '../../../platform/jobs/job-queue.ts'
import { StorageDamaged, StorageUnavailable } from '../../../platform/storage/database.ts'
import { SourceFault } from '../connectors/connector.ts'
import { ConnectionInactive } from '../records/record-store.ts'
import { collectPages, openConnection } from './collect-pages.ts'
import { asSourceFault, faultOf, retryAt } from './run-fault.ts'
import {
  claimRun,
  confirmCancelled,
  endCancelled,
  endFailed,
  endSucceeded,
  type ReleaseReason,
  type RunClaim,
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

/** Why the work on a run is broken off. */
export class RunStop extends Error {
  override readonly name = 'RunStop'
  readonly why: JobStop | 'cancelled' | 'locked'
  constructor(why: RunStop['why']) {
    super(why)
    this.why = why
  }
}

/** The runs that a hub works on, so that they can be kept and stopped. */
export interface RunsInHand {
  readonly owner: string
  hold(claim: RunClaim, stop: AbortController): void
  letGo(claim: RunClaim): void
}

/** Takes a run and collects until it has ended, is stopped, or is to be tried again later. */
export async function workOnRun(hub: Hub, hands: RunsInHand, job: Job): Promise<void> {
  // It stays queued, and is found again when the lock has gone.
  if (await mayBeginNothing(hub)) return
  const row = await hub.db.transaction((tx) => claimRun(tx, hub, job.job_id, hands.owner))
  if (!row) return
  const claim: RunClaim = { run_id: row.run_id, connection_id: row.connection_id, fence: row.fence }
  const stop = new AbortController()
  const onAbort = () => stop.abort(new RunStop(job.signal.reason as JobStop))
  job.signal.addEventListener('abort', onAbort)
  if (job.signal.aborted) onAbort()
  hands.hold(claim, stop)
  try {
    await collect(hub, row, claim, stop.signal)
    await hub.db.transaction((tx) => endSucceeded(tx, hub, claim))
  } catch (error) {
    await settle(hub, row, claim, error)
  } finally {
    hands.letGo(claim)
    job.signal.removeEventListener('abort', onAbort)
  }
}

async function collect(hub: Hub, row: RunRow, claim: RunClaim, signal: AbortSignal): Promise<void> {
  const opened = await openConnection(hub, claim.connection_id)
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
    progress = await hub.db.transaction((tx) => keepPage(tx, hub, claim, kept))
    if (!isTold) continue
    told_at = now
    told++
  }
}

/** Writes what becomes of a run that did not come to its end. */
async function settle(hub: Hub, row: RunRow, claim: RunClaim, error: unknown): Promise<void> {
  const act = settlementOf(hub, row, claim, error)
  if (!act) return
  try {
    await hub.db.transaction(act)
  } catch (failure) {
    // Cancelled or taken over in this very moment: then it is not ours to say how it ends.
    if (failure instanceof RunLost) await hub.db.transaction((tx) => confirmCancelled(tx, hub, claim))
    else throw failure
  }
}

type Settlement = Parameters<Hub['db']['transaction']>[0]

function settlementOf(hub: Hub, row: RunRow, claim: RunClaim, error: unknown): Settlement | undefined {
  if (error instanceof RunStop || error instanceof RunLost) return stopped(hub, claim, error)
  if (error instanceof ConnectionInactive)
    return async (tx) => endCancelled(tx, hub, await requireRunning(tx, claim), 'connection_revoked')
  const fault = asSourceFault(error)
  if (fault?.is_passing) {
    const run_at = retryAt(hub.system, row.attempt, fault.retry_after_seconds)
    return (tx) => retryLater(tx, hub, claim, faultOf(fault), run_at)
  }
  // Nothing can be written now: the lease runs out, and whoever can goes on.
  if (error instanceof StorageUnavailable || error instanceof StorageDamaged) throw error
  if (!fault) reportFault(hub.log, 'collect', error)
  const told = fault ? faultOf(fault) : { code: 'collector_failed', text: 'The connector failed.' }
  return async (tx) => endFailed(tx, hub, await requireRunning(tx, claim), told)
}

/** Where the run is wanted still, and only this hub, or everything, comes to rest. */
const RELEASED: Partial<Record<RunStop['why'], ReleaseReason>> = {
  closing: 'hub_stopped',
  locked: 'everything_locked',
}

function stopped(hub: Hub, claim: RunClaim, error: RunStop | RunLost): Settlement | undefined {
  const reason = error instanceof RunStop ? RELEASED[error.why] : undefined
  if (reason) return (tx) => releaseRun(tx, hub, claim, reason)
  return (tx) => confirmCancelled(tx, hub, claim)
}
