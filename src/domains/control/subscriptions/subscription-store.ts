import type { Caller } from '../../../platform/identity/caller.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { SubscriptionStatus } from './subscription-record.ts'

/** A subscription as it is stored, with how far it is delivered. */
export interface SubscriptionRow {
  subscription_id: string
  authority_kind: string
  client_id: string
  /** The agent that made it; none where it was the owner. */
  agent_id: string | null
  callback_url: string
  filters_json: string
  status: SubscriptionStatus
  disabled_reason: string | null
  verified_at: string | null
  /** The event that the receiver has to answer before it gets any other. */
  verification_json: string | null
  sealed_secret: string
  sealed_former_secret: string | null
  former_until: string | null
  created_at: string
  updated_at: string
  last_seq: number
}

/** How far a subscription is delivered. */
export interface DeliveryRow {
  delivered_seq: number
  attempts: number
  next_attempt_at: string | null
  last_failure: string | null
  delivered_at: string | null
}

export type FullSubscription = SubscriptionRow & DeliveryRow

const OWN = [
  'subscription_id',
  'authority_kind',
  'client_id',
  'agent_id',
  'callback_url',
  'filters_json',
  'status',
  'disabled_reason',
  'verified_at',
  'verification_json',
  'sealed_secret',
  'sealed_former_secret',
  'former_until',
  'created_at',
  'updated_at',
] as const
const CHANGING = OWN.filter((name) => name !== 'subscription_id')
const FULL = `SELECT ${OWN.map((name) => `s.${name}`).join(', ')}, s.last_seq, d.delivered_seq, d.attempts,
  d.next_attempt_at, d.last_failure, d.delivered_at
  FROM event_subscriptions s JOIN subscription_deliveries d ON d.subscription_id = s.subscription_id`

const insert = sql(
  `INSERT INTO event_subscriptions (${OWN.join(', ')}, last_seq) VALUES (${OWN.map(() => '?').join(', ')}, 0)`,
)
const insertDelivery = sql(
  `INSERT INTO subscription_deliveries (subscription_id, delivered_seq, attempts, fence) VALUES (?, 0, 0, 0)`,
)
const update = sql(
  `UPDATE event_subscriptions SET ${CHANGING.map((name) => `${name} = ?`).join(', ')} WHERE subscription_id = ?`,
)
const restart = sql(
  'UPDATE subscription_deliveries SET attempts = 0, next_attempt_at = NULL, last_failure = NULL WHERE subscription_id = ?',
)
const lock = sql('UPDATE event_subscriptions SET last_seq = last_seq WHERE subscription_id = ?')
const byId = sql<FullSubscription>(`${FULL} WHERE s.subscription_id = ?`)
const ofAll = sql<FullSubscription>(`${FULL} WHERE (s.created_at, s.subscription_id) > (?, ?)
  ORDER BY s.created_at, s.subscription_id LIMIT ?`)
const ofAgent = sql<FullSubscription>(
  `${FULL} WHERE s.agent_id = ? AND (s.created_at, s.subscription_id) > (?, ?)
  ORDER BY s.created_at, s.subscription_id LIMIT ?`,
)
const countOpen = sql<{ n: number }>(
  `SELECT COUNT(*) AS n FROM event_subscriptions WHERE status <> 'disabled_revoked'`,
)
const erase = sql('DELETE FROM event_subscriptions WHERE subscription_id = ?')
const eraseDelivery = sql('DELETE FROM subscription_deliveries WHERE subscription_id = ?')
const revokeOf = sql(
  `UPDATE event_subscriptions SET status = 'disabled_revoked', disabled_reason = ?, updated_at = ?
   WHERE agent_id = ? AND status <> 'disabled_revoked'`,
)

/** Stores a new subscription. */
export async function insertSubscription(
  tx: Transaction,
  row: Omit<SubscriptionRow, 'last_seq'>,
): Promise<void> {
  await tx.run(insert, ...OWN.map((name) => row[name]))
  await tx.run(insertDelivery, row.subscription_id)
}

/** Writes a changed subscription; `isNewStart` forgets what failed before. */
export async function writeSubscription(
  tx: Transaction,
  row: SubscriptionRow,
  isNewStart: boolean,
): Promise<void> {
  await tx.run(update, ...CHANGING.map((name) => row[name]), row.subscription_id)
  if (isNewStart) await tx.run(restart, row.subscription_id)
}

/** Whether a caller may see a subscription: the owner any, an agent those that it made. */
function isVisibleTo({ kind, id }: Caller, { agent_id }: SubscriptionRow): boolean {
  return kind !== 'owner_agent' || agent_id === id
}

/** The subscription, where there is one that the caller may see. */
export async function findSubscription(
  db: Reader,
  caller: Caller,
  subscription_id: string,
): Promise<FullSubscription | undefined> {
  const found = await db.get(byId, subscription_id)
  return found && isVisibleTo(caller, found) ? found : undefined
}

/** The same, and no other transaction changes it until this one has ended. */
export async function lockSubscription(
  tx: Transaction,
  caller: Caller,
  subscription_id: string,
): Promise<FullSubscription | undefined> {
  await tx.run(lock, subscription_id)
  return findSubscription(tx, caller, subscription_id)
}

/** The subscriptions that a caller may see, oldest first, from a place on. */
export async function listSubscriptions(
  db: Reader,
  caller: Caller,
  after: { at: string; id: string },
  limit: number,
): Promise<FullSubscription[]> {
  if (caller.kind === 'owner_agent') return db.all(ofAgent, caller.id, after.at, after.id, limit)
  return db.all(ofAll, after.at, after.id, limit)
}

/** How many subscriptions there are that can still be used. */
export async function countSubscriptions(db: Reader): Promise<number> {
  return (await db.get(countOpen))?.n ?? 0
}

/** Erases a subscription and how far it was delivered. */
export async function eraseSubscription(tx: Transaction, subscription_id: string): Promise<void> {
  await tx.run(erase, subscription_id)
  await tx.run(eraseDelivery, subscription_id)
}

/** Ends all subscriptions of an agent, for good. */
export async function revokeSubscriptions(
  tx: Transaction,
  agent_id: string,
  reason: 'agent_revoked' | 'agent_expired',
  now: Date,
): Promise<number> {
  return tx.run(revokeOf, reason, now.toISOString(), agent_id)
}
