import type { System } from '../../../platform/basics/system.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import { type EventContent, makeEvent, type StoredEvent } from './cloud-event.ts'

// Whoever takes a number holds the row until the commit, so that numbers become visible in their order.
const takeNumber = sql<{ last_seq: number }>(
  `UPDATE event_subscriptions SET last_seq = last_seq + 1
   WHERE subscription_id = ? AND status <> 'disabled_revoked' RETURNING last_seq`,
)
const insert = sql(
  `INSERT INTO subscription_events (subscription_id, seq, event_id, at, type, event_json)
   VALUES (?, ?, ?, ?, ?, ?)`,
)
const after = sql<StoredEvent>(
  `SELECT seq, event_id, at, type, event_json FROM subscription_events
   WHERE subscription_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
)
const oldest = sql<{ seq: number | null }>(
  'SELECT MIN(seq) AS seq FROM subscription_events WHERE subscription_id = ?',
)
const eraseAll = sql('DELETE FROM subscription_events WHERE subscription_id = ?')

/** Adds an event to a subscription in the caller's transaction; undefined where there is none any more. */
export async function addEvent(
  tx: Transaction,
  system: System,
  subscription_id: string,
  content: EventContent,
): Promise<StoredEvent | undefined> {
  const taken = await tx.get(takeNumber, subscription_id)
  if (!taken) return undefined
  const event = makeEvent(system, subscription_id, taken.last_seq, content)
  const { seq, event_id, at, type, event_json } = event
  await tx.run(insert, subscription_id, seq, event_id, at, type, event_json)
  return event
}

/** The events of a subscription after a number, in order. */
export async function listEvents(
  db: Reader,
  subscription_id: string,
  seq: number,
  limit: number,
): Promise<StoredEvent[]> {
  return db.all(after, subscription_id, seq, limit)
}

/** The number of the oldest event that is still kept. */
export async function oldestEvent(db: Reader, subscription_id: string): Promise<number | undefined> {
  return (await db.get(oldest, subscription_id))?.seq ?? undefined
}

/** Erases all events of a subscription. */
export async function eraseEvents(tx: Transaction, subscription_id: string): Promise<void> {
  await tx.run(eraseAll, subscription_id)
}
