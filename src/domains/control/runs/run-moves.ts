import type { Hub } from '../../../operations/hub.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { isLeaseOver, leaseTime } from '../../../platform/work/lease-clock.ts'
import type { RunEventType } from './run-events.ts'
import { rateProgress } from './run-rates.ts'
import { isEnded, isMove, type RunState } from './run-state.ts'
import { findRun, lockRun, progressOf, type RunRow, writeRun } from './run-store.ts'
import { runWork, wakeRuns } from './run-work.ts'
import { tellRunEvent } from './tell-run-event.ts'

/** What a hub holds when it works on a run. Who lacks the newest fence can write nothing. */
export interface RunClaim {
  readonly run_id: string
  readonly connection_id: string
  readonly fence: number
}

/** The run is no longer the claim's: it was cancelled, has ended, or another hub works on it. */
export class RunLost extends Error {
  override readonly name = 'RunLost'
}

/** Belongs to no hub: waiting, or ended. */
const NOBODYS = { owner: null, lease_until: null }

export type CancelReason = 'owner_cancelled' | 'owner_cancel_forced' | 'connection_revoked'

/** Why a hub lets go of a run that is still wanted. */
export type ReleaseReason = 'hub_stopped' | 'everything_locked'

interface Move {
  readonly changes: Partial<RunRow> & { readonly state: RunState }
  readonly type: RunEventType
  readonly data: Readonly<Record<string, unknown>>
}

async function move(tx: Transaction, hub: Hub, row: RunRow, { changes, type, data }: Move): Promise<RunRow> {
  if (!isMove(row.state, changes.state)) throw new RunLost(`A run cannot go from ${row.state} on.`)
  const at = hub.system.now().toISOString()
  const ended = isEnded(changes.state) ? { live_key: null, ended_at: at, ...NOBODYS } : {}
  const moved = { ...row, ...changes, ...ended }
  await writeRun(tx, moved)
  await tellRunEvent(tx, hub, { run_id: row.run_id, connection_id: row.connection_id, at, type, data })
  return moved
}

/** Takes a run that is due, or that lost its hub. Answers undefined where there is nothing to collect. */
export async function claimRun(
  tx: Transaction,
  hub: Hub,
  run_id: string,
  owner: string,
): Promise<RunRow | undefined> {
  const found = await lockRun(tx, run_id)
  const now = hub.system.now().toISOString()
  if (!found || (found.state === 'queued' && found.run_at > now)) return undefined
  if ((await runWork.claim(tx, hub, { run_id }, owner)) === undefined) return undefined
  const row = (await findRun(tx, run_id)) as RunRow
  if (row.state === 'cancelling') {
    await endCancelled(tx, hub, row, 'owner_cancel_forced')
    return undefined
  }
  const isTakenOver = row.state === 'running'
  if (isTakenOver && row.attempt >= row.max_attempts) {
    await endFailed(tx, hub, row, { code: 'interrupted', text: 'Its hub stopped too often.' })
    return undefined
  }
  if (isTakenOver) tx.afterCommit(() => void hub.takeovers.run++)
  const attempt = row.attempt + 1
  return move(tx, hub, row, {
    changes: { state: 'running', started_at: row.started_at ?? now, attempt },
    type: isTakenOver ? 'run.retried' : 'run.started',
    data: isTakenOver ? { attempt, reason: 'hub_lost' } : { attempt },
  })
}

/** The run of a claim, locked; throws `RunLost` when it is no longer the claim's to write to. */
export async function requireRunning(tx: Transaction, claim: RunClaim): Promise<RunRow> {
  const row = await lockRun(tx, claim.run_id)
  if (row?.state !== 'running' || row.fence !== claim.fence) throw new RunLost('Another hub has the run.')
  return row
}

export async function endSucceeded(tx: Transaction, hub: Hub, claim: RunClaim): Promise<RunRow> {
  const row = await requireRunning(tx, claim)
  const data = { progress: finalProgress(hub, row) }
  const changes = { state: 'succeeded', fault_code: null, fault_text: null } as const
  return move(tx, hub, row, { changes, type: 'run.succeeded', data })
}

/** What a run that ends now has come to, and how fast it went. */
function finalProgress({ system }: Pick<Hub, 'system'>, row: RunRow) {
  return rateProgress(progressOf(row), { ...row, state: 'succeeded' }, system.now())
}

export interface RunFault {
  readonly code: string
  /** May be shown: never a credential, never what the source sent. */
  readonly text: string
}

export async function endFailed(tx: Transaction, hub: Hub, row: RunRow, fault: RunFault): Promise<RunRow> {
  const changes = { state: 'failed', fault_code: fault.code, fault_text: fault.text } as const
  return move(tx, hub, row, { changes, type: 'run.failed', data: { fault } })
}

/** Puts a run back to be tried again later, or lets it fail when it was tried often enough. */
export async function retryLater(
  tx: Transaction,
  hub: Hub,
  claim: RunClaim,
  fault: RunFault,
  run_at: string,
): Promise<RunRow> {
  const row = await requireRunning(tx, claim)
  if (row.attempt >= row.max_attempts) return endFailed(tx, hub, row, fault)
  const faulty = { fault_code: fault.code, fault_text: fault.text }
  return move(tx, hub, row, {
    changes: { state: 'queued', run_at, ...faulty, ...NOBODYS },
    type: 'run.retried',
    data: { attempt: row.attempt, reason: 'fault', fault, run_at },
  })
}

/** Puts a run back because its hub stops: that is no attempt that failed. */
export async function releaseRun(
  tx: Transaction,
  hub: Hub,
  claim: RunClaim,
  reason: ReleaseReason,
): Promise<RunRow> {
  const row = await requireRunning(tx, claim)
  return move(tx, hub, row, {
    changes: {
      state: 'queued',
      run_at: hub.system.now().toISOString(),
      attempt: row.attempt - 1,
      ...NOBODYS,
    },
    type: 'run.retried',
    data: { attempt: row.attempt, reason },
  })
}

/** Asks for a run to stop. What nobody works on has stopped already. The row has been locked before. */
export async function cancelRun(tx: Transaction, hub: Hub, row: RunRow): Promise<RunRow> {
  if (row.state === 'queued') return endCancelled(tx, hub, row, 'owner_cancelled')
  const isLost = isLeaseOver(row.lease_until, await leaseTime(tx, hub))
  const asked =
    row.state === 'cancelling'
      ? row
      : await move(tx, hub, row, {
          changes: { state: 'cancelling', cancel_reason: 'owner_cancelled' },
          type: 'run.cancelling',
          data: { reason: 'owner_cancelled' },
        })
  wakeRuns(tx, hub)
  return isLost ? endCancelled(tx, hub, asked, 'owner_cancel_forced') : asked
}

/** Ends a run that somebody wanted to stop. */
export async function endCancelled(
  tx: Transaction,
  hub: Hub,
  row: RunRow,
  reason: CancelReason,
): Promise<RunRow> {
  const data = { reason, progress: finalProgress(hub, row) }
  const changes = { state: 'cancelled', cancel_reason: reason } as const
  return move(tx, hub, row, { changes, type: 'run.cancelled', data })
}

/** Ends a run whose hub has noticed that it is to stop; nothing where that was done by another. */
export async function confirmCancelled(tx: Transaction, hub: Hub, claim: RunClaim): Promise<void> {
  const row = await lockRun(tx, claim.run_id)
  if (row?.state === 'cancelling' && row.fence === claim.fence)
    await endCancelled(tx, hub, row, 'owner_cancelled')
}
