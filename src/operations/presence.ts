import { countAttempt } from '../platform/identity/attempts.ts'
import { findOwner } from '../platform/identity/owner-account.ts'
import { isPassword, PasswordsBusy } from '../platform/identity/owner-password.ts'
import { canProve, type Opening, usePresence } from '../platform/identity/owner-presence.ts'
import type { Call, CallState } from './call.ts'
import { Refusal } from './errors.ts'
import type { Hub } from './hub.ts'

/** What shows that the owner is there: the password, or what they have confirmed in the browser. */
export type Presence = { readonly password: string } | { readonly confirmed: string }

const BUSY_SECONDS = 5

/**
 * Whether a call has to show that the owner is there: it opens something, and comes from whoever can open the home's files,
 * or read the hub token in them. That may be an agent with a shell.
 */
function isToBeProven({ operation, caller }: Pick<Call, 'operation' | 'caller'>): boolean {
  return operation.opens && (caller.kind === 'local' || caller.kind === 'hub')
}

/** The same for who can ask. As long as the owner has nothing to prove it with, the files are all there is. */
export async function needsPresence(
  { db }: Pick<Hub, 'db'>,
  call: Pick<Call, 'operation' | 'caller'>,
): Promise<boolean> {
  return isToBeProven(call) && (await canProve(db))
}

/** What opens something takes the owner in person. Closing never does. */
export function checkPresence({ hub, call, vault_id }: CallState): void | Promise<void> {
  if (!isToBeProven(call)) return
  const opening = { operation: call.operation.name, vault_id, input: call.input }
  return requireProof(hub, call.presence, opening, call.address)
}

type Proving = Pick<Hub, 'db' | 'system'>

/** Refuses to open something where the owner could show to be there and does not. */
export async function requireProof(
  hub: Proving,
  presence: Presence | undefined,
  opening: Opening,
  address: string,
): Promise<void> {
  if (!(await canProve(hub.db))) return
  if (!presence) throw new Refusal('PRESENCE_REQUIRED')
  if ('password' in presence) await checkPassword(hub, presence.password, address)
  else await useConfirmed(hub, presence.confirmed, opening)
}

async function checkPassword(hub: Proving, password: string, address: string): Promise<void> {
  const { over, wait_seconds } = await countAttempt(hub.db, 'sign_in', address, hub.system.now())
  if (over > 0) throw new Refusal('RATE_LIMITED', undefined, wait_seconds)
  const owner = await findOwner(hub.db)
  const isRight = await isPassword(password, owner?.password_hash).catch((error: unknown) => {
    throw error instanceof PasswordsBusy ? new Refusal('RATE_LIMITED', undefined, BUSY_SECONDS) : error
  })
  if (!isRight) throw new Refusal('PRESENCE_REQUIRED', 'That is not the password.')
}

/** Used up before the act: what then fails has to be confirmed anew. */
async function useConfirmed(hub: Proving, presence_id: string, opening: Opening): Promise<void> {
  const isUsed = await hub.db.transaction((tx) => usePresence(tx, presence_id, opening, hub.system.now()))
  if (!isUsed) throw new Refusal('PRESENCE_REQUIRED', 'Just this was not confirmed in time.')
}
