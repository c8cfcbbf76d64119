import type { Hub } from '../../../operations/hub.ts'
import { findDefinition, keepDefinition } from '../../../platform/pins/review-store.ts'
import type { Pinned } from '../../../platform/pins/tool-definition.ts'

/** Keeps the definition behind a pin that was written by hand, once: a later change can be shown beside it. */
export async function keepReviewed(hub: Hub, { pin, definition }: Pinned): Promise<void> {
  if (await findDefinition(hub.db, pin)) return
  await hub.db.transaction((tx) => keepDefinition(tx, { pin, definition }, hub.system.now()))
}
