import { hubRecord } from '../../../../operations/hub-record.ts'
import type { Transaction } from '../../../../platform/storage/database.ts'
import { subscriptionTarget } from '../subscription-record.ts'
import { disableSubscription, failLane, type LaneState, laneWork } from './lane-store.ts'
import { findWaitSeconds } from './retry-schedule.ts'
import type { Lane } from './run-lane.ts'

/** Whether the owner's lock is gone is looked at so often. */
const LOCKED_WAIT_MS = 10_000

/** Why an attempt failed, in one word. */
export interface Failure {
  readonly code: string
  /** The receiver says that it is gone for good. */
  readonly is_final?: boolean
  readonly retry_after_seconds?: number | undefined
}

/** Ends a round that failed: the event is tried again later, or the subscription is disabled. */
export async function endRound(lane: Lane, state: LaneState, failure: Failure): Promise<false> {
  const attempts = state.attempts + 1
  const wait = failure.is_final ? undefined : findWaitSeconds(attempts, failure.retry_after_seconds)
  const now = lane.hub.system.now()
  const next = wait === undefined ? null : new Date(now.getTime() + wait * 1_000).toISOString()
  await recorded(lane, async (tx) => {
    const isOurs = await failLane(tx, lane.task.claim, attempts, next, failure.code)
    if (!isOurs || wait !== undefined) return false
    const reason = failure.is_final ? 'receiver_gone' : reasonOf(state)
    return disableSubscription(tx, state, 'disabled_failure', reason, now.toISOString())
  })
  return false
}

function reasonOf({ status }: LaneState): string {
  return status === 'pending_verification' ? 'verification_failed' : 'delivery_failed'
}

/** Ends a subscription whose agent is no longer approved. */
export async function endRevoked(lane: Lane, state: LaneState): Promise<boolean> {
  const now = lane.hub.system.now().toISOString()
  const isExpired = state.agent_expires_at !== null && state.agent_expires_at <= now
  const isGone = state.agent_id !== null && state.agent_expires_at === null
  if (!isExpired && !isGone && state.agent_revoked_at === null) return false
  const reason = isExpired ? 'agent_expired' : 'agent_revoked'
  await recorded(lane, async (tx) => {
    await laneWork.release(tx, lane.task.claim)
    return disableSubscription(tx, state, 'disabled_revoked', reason, now)
  })
  return true
}

/** Lets a subscription wait while the owner has locked its agent, or everything. It is no failed attempt. */
export async function restLocked({ hub, task }: Lane, state: LaneState): Promise<boolean> {
  const lock = await hub.locks.find(state.agent_id ?? undefined)
  if (!lock) return false
  const next = new Date(hub.system.now().getTime() + LOCKED_WAIT_MS).toISOString()
  await hub.db.transaction((tx) => failLane(tx, task.claim, state.attempts, next, 'locked'))
  return true
}

/** What the hub disables by itself is on record with it. */
async function recorded({ hub, task }: Lane, act: (tx: Transaction) => Promise<boolean>): Promise<void> {
  const record = hubRecord(
    hub,
    'event_subscription_disabled',
    '-',
    subscriptionTarget(task.claim.subscription_id),
  )
  const isDisabled = await hub.db.transaction(async (tx) => {
    const isChanged = await act(tx)
    if (isChanged) await hub.audit.appendIn(tx, [record])
    return isChanged
  })
  if (isDisabled) hub.observe(record)
}
