import type { Hub } from '../../../operations/hub.ts'
import { sql } from '../../../platform/storage/database.ts'
import { eraseEvents } from './subscription-event-store.ts'
import { SUBSCRIPTION_LIMIT } from './subscription-limits.ts'
import { eraseSubscription } from './subscription-store.ts'

const DAY_MS = 86_400_000
/** Delivered events can be read again this long. */
const DELIVERED_DAYS = 7
/** And so many of them at most, per subscription. */
export const DELIVERED_LIMIT = 10_000
/** Events that nobody takes are kept this long. */
const MISSED_DAYS = 30
/** And so many of them at most, per subscription. */
const MISSED_LIMIT = 100_000
/** Subscriptions that can never be used again are shown this long. */
const REVOKED_DAYS = 30

const ends = sql<{ subscription_id: string; last_seq: number; delivered_seq: number }>(
  `SELECT s.subscription_id, s.last_seq, d.delivered_seq FROM event_subscriptions s
   JOIN subscription_deliveries d ON d.subscription_id = s.subscription_id
   WHERE s.subscription_id > ? ORDER BY s.subscription_id LIMIT ?`,
)
const dropUpTo = sql('DELETE FROM subscription_events WHERE subscription_id = ? AND seq <= ?')
const dropOlder = sql('DELETE FROM subscription_events WHERE subscription_id = ? AND seq <= ? AND at < ?')
const revoked = sql<{ subscription_id: string }>(
  `SELECT subscription_id FROM event_subscriptions WHERE status = 'disabled_revoked' AND updated_at < ?
   ORDER BY subscription_id LIMIT ?`,
)

/** Lets go of events that were delivered long ago, or that nobody has taken for long. */
export async function pruneSubscriptions(hub: Hub): Promise<void> {
  const now = hub.system.now().getTime()
  const before = (days: number) => new Date(now - days * DAY_MS).toISOString()
  for (const { subscription_id } of await hub.db.all(revoked, before(REVOKED_DAYS), SUBSCRIPTION_LIMIT))
    await hub.db.transaction(async (tx) => {
      await eraseSubscription(tx, subscription_id)
      await eraseEvents(tx, subscription_id)
    })
  let page = await hub.db.all(ends, '', SUBSCRIPTION_LIMIT)
  while (page.length > 0) {
    for (const { subscription_id, last_seq, delivered_seq } of page) {
      const end = Math.max(delivered_seq - DELIVERED_LIMIT, last_seq - MISSED_LIMIT)
      await hub.db.transaction(async (tx) => {
        if (end > 0) await tx.run(dropUpTo, subscription_id, end)
        await tx.run(dropOlder, subscription_id, delivered_seq, before(DELIVERED_DAYS))
        await tx.run(dropOlder, subscription_id, last_seq, before(MISSED_DAYS))
      })
    }
    page = await hub.db.all(ends, page.at(-1)?.subscription_id ?? '', SUBSCRIPTION_LIMIT)
  }
}
