import { type Reader, sql, type Transaction } from '../../../../platform/storage/database.ts'
import type { LeaseTime } from '../../../../platform/work/lease-clock.ts'
import { defineWork, type WorkClaim, type WorkKey } from '../../../../platform/work/work-table.ts'
import type { FullSubscription } from '../subscription-store.ts'

/** Subscriptions are leased one by one, so that each is delivered by one hub and in order. */
export const laneWork = defineWork({
  table: 'subscription_deliveries',
  key: ['subscription_id'],
  fence: 'fence',
  // Longer than a receiver may take to answer, so that two hubs never send at once.
  lease_ms: 15_000,
  open: '1 = 1',
  wanted: '1 = 1',
})

export type LaneClaim = WorkClaim<'subscription_id'>

/** A subscription as its lane sees it, with how the approval of its agent stands. */
export interface LaneState
  extends Omit<FullSubscription, 'authority_kind' | 'client_id' | 'filters_json' | 'created_at'> {
  fence: number
  agent_revoked_at: string | null
  agent_expires_at: string | null
}

const due = sql<{ subscription_id: string }>(
  `SELECT s.subscription_id FROM event_subscriptions s
   JOIN subscription_deliveries d ON d.subscription_id = s.subscription_id
   WHERE (s.status = 'pending_verification' OR (s.status = 'active' AND s.last_seq > d.delivered_seq))
     AND (d.next_attempt_at IS NULL OR d.next_attempt_at <= ?)
     AND (d.lease_until IS NULL OR d.lease_until < ? OR d.lease_until > ?)
   ORDER BY s.subscription_id LIMIT ?`,
)
const state = sql<LaneState>(
  `SELECT s.subscription_id, s.agent_id, s.callback_url, s.status, s.disabled_reason, s.verified_at,
     s.verification_json, s.sealed_secret, s.sealed_former_secret, s.former_until, s.updated_at, s.last_seq,
     d.delivered_seq, d.attempts, d.next_attempt_at, d.last_failure, d.delivered_at, d.fence,
     a.revoked_at AS agent_revoked_at, a.expires_at AS agent_expires_at
   FROM event_subscriptions s JOIN subscription_deliveries d ON d.subscription_id = s.subscription_id
   LEFT JOIN owner_agents a ON a.agent_id = s.agent_id WHERE s.subscription_id = ?`,
)
const MINE = 'WHERE subscription_id = ? AND fence = ?'
const advance = sql(
  `UPDATE subscription_deliveries SET delivered_seq = ?, attempts = 0, next_attempt_at = NULL,
     last_failure = NULL, delivered_at = ? ${MINE}`,
)
const fail = sql(
  `UPDATE subscription_deliveries SET attempts = ?, next_attempt_at = ?, last_failure = ?,
     owner = NULL, lease_until = NULL ${MINE}`,
)
const activate = sql(
  `UPDATE event_subscriptions SET status = 'active', verified_at = ?, verification_json = NULL, updated_at = ?
   WHERE subscription_id = ? AND status = 'pending_verification' AND verification_json = ?`,
)
const disable = sql(
  `UPDATE event_subscriptions SET status = ?, disabled_reason = ?, updated_at = ?
   WHERE subscription_id = ? AND callback_url = ? AND status IN ('active', 'pending_verification')`,
)

const mine = ({ subscription_id, fence }: LaneClaim) => [subscription_id, fence] as const

/** Subscriptions that have something to deliver now and that no hub delivers. */
export function listDue(
  db: Reader,
  at: string,
  { now, far }: LeaseTime,
  limit: number,
): Promise<WorkKey<'subscription_id'>[]> {
  return db.all(due, at, now, far, limit)
}

/** How a subscription stands; undefined when it is gone or another hub's. */
export async function readLane(db: Reader, held: LaneClaim): Promise<LaneState | undefined> {
  const found = await db.get(state, held.subscription_id)
  return found?.fence === held.fence ? found : undefined
}

/** Keeps how far a subscription is delivered. False: it is no longer ours. */
export async function advanceLane(
  tx: Transaction,
  held: LaneClaim,
  delivered_seq: number,
  now: string,
): Promise<boolean> {
  return (await tx.run(advance, delivered_seq, now, ...mine(held))) === 1
}

/** Keeps that an attempt failed, and lets go until the next. False: it was no longer ours. */
export async function failLane(
  tx: Transaction,
  held: LaneClaim,
  attempts: number,
  next_attempt_at: string | null,
  failure: string,
): Promise<boolean> {
  return (await tx.run(fail, attempts, next_attempt_at, failure, ...mine(held))) === 1
}

/** A receiver has proved that it wants to be one: at the address that it was asked at. */
export async function activateSubscription(
  tx: Transaction,
  subscription_id: string,
  verification_json: string,
  now: string,
): Promise<boolean> {
  return (await tx.run(activate, now, now, subscription_id, verification_json)) === 1
}

/** Ends the delivery to an address. False: it was changed or ended meanwhile. */
export async function disableSubscription(
  tx: Transaction,
  { subscription_id, callback_url }: Pick<LaneState, 'subscription_id' | 'callback_url'>,
  status: 'disabled_failure' | 'disabled_revoked',
  reason: string,
  now: string,
): Promise<boolean> {
  return (await tx.run(disable, status, reason, now, subscription_id, callback_url)) === 1
}
