import { z } from 'zod'
import type { Hub } from '../../../operations/hub.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import { openSecret, sealSecret } from '../../../platform/secrets/sealed-secrets.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { asIntentRefusal } from './intent-errors.ts'
import { beginAuthorization, findIntentByState, type IntentRow, useAuthorization } from './intent-store.ts'

/** The owner has this long to come back from the provider. */
const RETURN_LIMIT_MS = 15 * 60_000
const FIELD = 'authorization'
const STATE = /^[0-9a-f]{64}$/

const Pending = z.strictObject({
  issuer: z.string(),
  client_id: z.string(),
  scope: z.string(),
  resource: z.string().optional(),
  auth_method: z.enum(['none', 'client_secret_post', 'client_secret_basic']).optional(),
  verifier: z.string(),
  redirect_uri: z.string(),
  settings: z.record(z.string(), z.string()),
  secrets: z.record(z.string(), z.string()),
  /** The session that began it: no other may finish it. */
  session_id: z.string().nullable(),
  until: z.string(),
})

/** An authorisation that waits for the provider's answer. It is kept sealed, and once. */
export type PendingAuthorization = z.infer<typeof Pending>

/** A session is bound to what it begins; what was begun at the hub itself may be finished in any of the owner's. */
export function sessionOf({ kind, id }: Caller): string | null {
  return kind === 'owner_session' ? id : null
}

/** When the owner has to be back, at the latest. */
export function returnUntil(now: Date, { expires_at }: IntentRow): string {
  const limit = new Date(now.getTime() + RETURN_LIMIT_MS).toISOString()
  return limit < expires_at ? limit : expires_at
}

/** Keeps what is needed to finish, under a state that the provider will give back. */
export async function keepPending(
  tx: Transaction,
  hub: Hub,
  { intent_id }: IntentRow,
  { state, pending }: { state: string; pending: PendingAuthorization },
  now: Date,
): Promise<void> {
  const sealed = await sealPending(tx, hub, intent_id, pending)
  if (!(await beginAuthorization(tx, intent_id, { state, sealed }, now)))
    throw new OwnerRefusal('intent_ended')
}

async function sealPending(
  tx: Transaction,
  hub: Hub,
  intent_id: string,
  pending: PendingAuthorization,
): Promise<string> {
  try {
    return await sealSecret(tx, hub, { id: intent_id, field: FIELD }, JSON.stringify(pending))
  } catch (error) {
    throw asIntentRefusal(error)
  }
}

/** What a callback has to match to count. */
export interface Callback {
  readonly url: URL
  readonly state: string
  /** The intent that it is said to belong to, where that is said. */
  readonly intent_id: string | undefined
  readonly caller: Caller
}

/** Reads the address that a provider sent the owner to. */
export function readCallback(text: string, intent_id: string | undefined, caller: Caller): Callback {
  const url = URL.parse(text)
  const [state = '', ...others] = url?.searchParams.getAll('state') ?? []
  if (!url || others.length > 0 || !STATE.test(state)) throw new OwnerRefusal('oauth_state_invalid')
  return { url, state, intent_id, caller }
}

/**
 * Uses the state of a callback up and opens what waited under it. Of two that come at once one gets it; who
 * comes with a state of another session's, or to another address, gets nothing and uses nothing up.
 */
export async function takePending(
  hub: Hub,
  callback: Callback,
  now: Date,
): Promise<{ intent: IntentRow; pending: PendingAuthorization }> {
  const { state } = callback
  return hub.db.transaction(async (tx) => {
    const intent = await findIntentByState(tx, state)
    const pending = intent && openPending(hub, intent)
    if (!pending || !isMeant(callback, intent, pending)) throw new OwnerRefusal('oauth_state_invalid')
    if (intent.expires_at <= now.toISOString()) throw new OwnerRefusal('intent_expired')
    const isInTime = pending.until > now.toISOString()
    if (!isInTime || !(await useAuthorization(tx, state, now))) throw new OwnerRefusal('oauth_state_invalid')
    return { intent, pending }
  })
}

function openPending(hub: Hub, { intent_id, sealed }: IntentRow): PendingAuthorization | undefined {
  if (sealed === null) return undefined
  try {
    return Pending.parse(JSON.parse(openSecret(hub, { id: intent_id, field: FIELD }, sealed)))
  } catch (error) {
    throw asIntentRefusal(error)
  }
}

function isMeant(
  { url, intent_id, caller }: Callback,
  intent: IntentRow,
  { session_id, redirect_uri }: PendingAuthorization,
): boolean {
  if (intent_id !== undefined && intent_id !== intent.intent_id) return false
  if (`${url.origin}${url.pathname}` !== redirect_uri) return false
  return session_id === null || session_id === sessionOf(caller)
}
