import type { Hub } from '../../../operations/hub.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { publishEvent } from '../subscriptions/publish.ts'
import { addRunEvent, type RunEvent } from './run-events.ts'

/** Keeps an event of a run and tells subscribers of it, in the transaction of what it tells of. */
export async function tellRunEvent(
  tx: Transaction,
  hub: Hub,
  { connection_id, ...event }: RunEvent & { readonly connection_id: string },
): Promise<void> {
  await addRunEvent(tx, event)
  const { run_id, type, at, data } = event
  await publishEvent(tx, hub, {
    type: `pdpp.${type}`,
    subject: run_id,
    connection_id,
    data: { run_id, at, ...data },
  })
}
