import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import type { Reader, Transaction } from '../../../platform/storage/database.ts'
import type { JsonObject } from '../connectors/connector.ts'
import type { EventType } from '../subscriptions/event-types.ts'
import { publishEvent } from '../subscriptions/publish.ts'
import { appendEvent } from './spine-store.ts'

const AT_ONCE = 50
/** How often a hub looks for what is to be told, should nobody have woken it. */
export const LOOK_EVERY_MS = 2_000

/** One thing that has happened, for subscribers and the owner's record. */
interface News {
  readonly type: EventType
  /** Whose doing it was. */
  readonly caller: Caller
  readonly vault_id: string
  readonly object: { readonly type: string; readonly id: string }
  readonly data: JsonObject
}

/** What rows of one kind have to be told. */
interface Source<Row> {
  /** The worker's name. */
  readonly name: string
  /** Comes before each look. */
  prepare?(hub: Hub): Promise<unknown>
  list(db: Reader, limit: number): Promise<readonly Row[]>
  /** Whether it was not yet told; from then on it is. */
  mark(tx: Transaction, row: Row): Promise<boolean>
  describe(row: Row): News
}

/** Tells of rows, in a hub that serves: soon after they came or changed, and at the latest when it looks. */
export function openTeller<Row>(hub: Hub, source: Source<Row>) {
  let looking: Promise<void> | undefined
  const look = () => (looking ??= tellAll(hub, source).finally(() => (looking = undefined)))
  // Who is woken while it looks may have come too late for that look.
  const wake = () =>
    void (looking ?? Promise.resolve())
      .then(look)
      .catch((error: unknown) => reportFault(hub.log, source.name, error))
  hub.workers.set(source.name, { wake })
  hub.closing.push(async () => void (await looking?.catch(() => {})))
  return { look }
}

async function tellAll<Row>(hub: Hub, source: Source<Row>): Promise<void> {
  await source.prepare?.(hub)
  for (;;) {
    const untold = await source.list(hub.db, AT_ONCE)
    for (const row of untold) if (!hub.stopping.signal.aborted) await tell(hub, source, row)
    if (untold.length < AT_ONCE || hub.stopping.signal.aborted) return
  }
}

/** To subscribers and to the owner's record, both or neither; of two hubs that look at once one does it. */
async function tell<Row>(hub: Hub, { mark, describe }: Source<Row>, row: Row): Promise<void> {
  const { type, caller, vault_id, object, data } = describe(row)
  const request_id = `req_${hub.system.random(8)}`
  const call = { caller, vault_id, surface: 'rest' as const, now: hub.system.now(), request_id }
  await hub.db.transaction(async (tx) => {
    if (!(await mark(tx, row))) return
    await publishEvent(tx, hub, { type, subject: object.id, data })
    const event = { event: type, operation: type, object, selector: undefined, error: undefined }
    await appendEvent(tx, hub, call, { ...event, data })
  })
}
