import type { Hub } from '../../../operations/hub.ts'
import { sql, type Transaction } from '../../../platform/storage/database.ts'
import { EventFilters, isWanted } from './event-filters.ts'
import type { EventType } from './event-types.ts'
import { addEvent } from './subscription-event-store.ts'
import { SUBSCRIPTION_LIMIT } from './subscription-limits.ts'
import { wakeDeliverer } from './wake-deliverer.ts'

/** Something that subscribers may want to hear of. `data` never holds what was collected. */
export interface PublishedEvent {
  readonly type: EventType
  /** What it is about: the id of a connection, a run, a stream, a request for approval or a review. */
  readonly subject: string
  readonly stream?: string
  readonly connection_id?: string
  readonly data: Readonly<Record<string, unknown>>
}

// In one order everywhere, so that two publishers never wait for each other.
const open = sql<{ subscription_id: string; filters_json: string }>(
  `SELECT subscription_id, filters_json FROM event_subscriptions WHERE status <> 'disabled_revoked'
   ORDER BY subscription_id LIMIT ?`,
)

/**
 * Keeps an event for every subscription that wants it, in the transaction of what it tells of: both happen, or
 * neither. It is delivered after the commit, and in the order of the commits.
 */
export async function publishEvent(tx: Transaction, hub: Hub, event: PublishedEvent): Promise<void> {
  const { type, subject, stream, connection_id, data } = event
  const content = {
    type,
    subject,
    data: {
      ...(connection_id !== undefined && { connection_id }),
      ...(stream !== undefined && { stream }),
      ...data,
    },
  }
  let isAwaited = false
  for (const { subscription_id, filters_json } of await tx.all(open, SUBSCRIPTION_LIMIT)) {
    if (!isWanted(EventFilters.parse(JSON.parse(filters_json)), event)) continue
    await addEvent(tx, hub.system, subscription_id, content)
    isAwaited = true
  }
  if (isAwaited) wakeDeliverer(tx, hub)
}
