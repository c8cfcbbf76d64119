import type { Hub } from '../../../operations/hub.ts'
import { pruneEvents } from '../../../platform/alerts/prune-events.ts'

/** Keeps the security stream within its limits; what is older than audit records may be goes with them. */
export async function pruneStream(hub: Hub): Promise<void> {
  const { max_age_days } = hub.config.audit
  await pruneEvents(hub.db, { max_age_days }, hub.system.now())
}
