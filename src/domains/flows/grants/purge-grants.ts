import type { Hub } from '../../../operations/hub.ts'
import { purgeCallBudgets } from '../invoke/call-budgets.ts'
import { deleteExpiredGrants, listGrantVaults } from './grant-store.ts'

/** An expired grant still says that it expired for this long; later its bearer is simply unknown. */
const KEPT_AFTER_EXPIRY_MS = 3_600_000
/** One transaction removes at most this many, so that calls never wait behind the cleaning. */
export const PURGE_BATCH = 500

/** Removes grants that expired long enough ago, a small batch at a time. */
export async function purgeExpiredGrants(hub: Hub): Promise<void> {
  const before = new Date(hub.system.now().getTime() - KEPT_AFTER_EXPIRY_MS)
  for (const vault_id of await listGrantVaults(hub.db)) {
    let gone = PURGE_BATCH
    while (gone === PURGE_BATCH) {
      const purged = await hub.db.transaction((tx) => deleteExpiredGrants(tx, vault_id, before, PURGE_BATCH))
      gone = purged.gone
    }
  }
  await hub.db.transaction((tx) => purgeCallBudgets(tx, before))
}
