import type { Hub } from '../../../operations/hub.ts'
import type { Transaction } from '../../../platform/storage/database.ts'

/** Under which name a hub that delivers is told of events. */
export const DELIVERER = 'subscription_deliveries'

/**
 * Tells this hub, where it delivers, that there is something to deliver, as soon as it is committed. A command line
 * delivers nothing, and leaves it to the hub that serves.
 */
export function wakeDeliverer(tx: Transaction, hub: Hub): void {
  tx.afterCommit(() => hub.workers.get(DELIVERER)?.wake())
}
