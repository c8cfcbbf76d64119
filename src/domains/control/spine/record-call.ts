import type { EndedCall } from '../../../operations/contract.ts'
import {
  ActOutside,
  type Context,
  type Effect,
  type Operation,
  StoredJson,
} from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { findConnection } from '../connections/connection-store.ts'
import { findConnector } from '../connectors/connector-registry.ts'
import { DoneThenOutside } from './done-then-outside.ts'
import { floodLimit } from './flood-limit.ts'
import type { Spine, SpineObject } from './spine.ts'
import type { TracedCall } from './spine-event.ts'
import { appendEvent } from './spine-store.ts'

/** What our ids look like; a bearer or a code of ours is longer or begins otherwise. */
const OWN_ID = /^(?!lde)[a-z]{2,8}_[0-9a-f]{16,32}$/

type AnySpine = Spine<Record<string, unknown>, unknown>
type Handle = Operation['handle']
type AnyContext = Context<Record<string, unknown>, string, Effect>

/** The handler, with the event of its success beside it: both are kept, or neither. */
export function handleRecorded(spine: AnySpine, handle: Handle, isInTransaction: boolean): Handle {
  return async (context, found) => {
    const known = context as unknown as AnyContext
    const output = await handle(context, found)
    const isDone = output instanceof DoneThenOutside
    if (output instanceof ActOutside && !isDone) return recordedOutside(spine, known, output)
    const told = isDone ? output.done : output instanceof StoredJson ? JSON.parse(output.text) : output
    await within(known, isInTransaction, (tx) => recordSuccess(tx, spine, known, told))
    return output
  }
}

function within({ db, hub }: AnyContext, isIn: boolean, act: (tx: Transaction) => Promise<void>) {
  return isIn ? act(db as Transaction) : hub.db.transaction(act)
}

/** What acts outside has succeeded when the outside says so. */
function recordedOutside(spine: AnySpine, context: AnyContext, outside: ActOutside<unknown>) {
  const perform = async (signal: AbortSignal) => {
    const output = await outside.perform(signal)
    await context.hub.db.transaction((tx) => recordSuccess(tx, spine, context, output))
    return output
  }
  return new ActOutside(perform, outside.made)
}

function recordSuccess(tx: Transaction, spine: AnySpine, context: AnyContext, output: unknown) {
  const { caller, vault_id, surface, now, hub, input } = context
  const call: TracedCall = { caller, vault_id, surface, now, request_id: context.requestId() }
  return appendEvent(tx, hub, call, {
    ...spine,
    object: spine.object(input, output),
    selector: selectorOf(input),
    error: undefined,
    data: spine.data?.(input, output) ?? {},
  })
}

/** Keeps the event of a call that was not carried out. Who brought no credential is in the audit log alone. */
export async function recordRefusal(
  spine: AnySpine,
  ended: EndedCall,
  error: { code: string; http_status: number },
): Promise<void> {
  const { hub, caller, vault_id, surface, now } = ended
  // Whoever is held back for calling too often must not fill the record instead.
  if (caller.kind === 'anonymous' || error.code === 'rate_limited') return
  const kind = `${caller.kind}|${caller.id}|${spine.event}|${spine.operation}|${error.code}`
  const { is_told, left_out } = partOf(hub, floodLimit)(kind, now)
  if (!is_told) return
  const ids = await soundIds(hub, ended.input ?? ended.sent)
  const object = await withConnector(hub, spine.object(ids))
  const call: TracedCall = { caller, vault_id, surface, now, request_id: ended.requestId() }
  const selector = selectorOf(Object(ended.sent) as object)
  const end = { ...spine, object, selector, error, data: left_out > 0 ? { equal_left_out: left_out } : {} }
  await hub.db.transaction((tx) => appendEvent(tx, hub, call, end))
}

/** A refused call names its connection at most; whose connector it is, is ours to know. */
async function withConnector(hub: Hub, object: SpineObject): Promise<SpineObject> {
  if (!object.connection_id || object.connector_key) return object
  const found = await findConnection(hub.db, object.connection_id)
  return { ...object, connector_key: found?.connector_id }
}

function selectorOf(input: object) {
  if ('connection_id' in input) return 'connection_id' as const
  return 'connector_id' in input ? ('connector_id' as const) : undefined
}

/**
 * What of a refused input may stand in a record: ids of our form and connectors that there are. Whatever
 * else stands where an id belongs may be a secret in the wrong place.
 */
async function soundIds(hub: Hub, sent: unknown): Promise<Record<string, string>> {
  if (typeof sent !== 'object' || sent === null) return {}
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== 'string' || !name.endsWith('_id')) continue
    const isSound =
      name === 'connector_id' ? (await findConnector(hub, value)) !== undefined : OWN_ID.test(value)
    if (isSound) found[name] = value
  }
  return found
}
