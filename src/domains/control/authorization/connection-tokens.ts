import { setTimeout as pause } from 'node:timers/promises'
import type { Hub } from '../../../operations/hub.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { localCaller } from '../../../platform/identity/caller.ts'
import type { ConnectionTokens } from '../../../platform/upstream/connection-tokens.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'
import { readSecret, replaceSecret } from '../connections/connection-secrets.ts'
import { findConnection } from '../connections/connection-store.ts'
import {
  isFresh,
  OAUTH_SECRET,
  type OAuthCredential,
  parseCredential,
  renewCredential,
} from '../connections/oauth-tokens.ts'
import { SourceFault } from '../connectors/connector.ts'
import { openSafeFetch } from '../connectors/safe-fetch.ts'
import { appendEvent } from '../spine/spine-store.ts'
import { publishEvent } from '../subscriptions/publish.ts'
import { claimRenewal, findAuthorization, noteNeed, releaseRenewal } from './authorization-store.ts'
import { covers } from './protected-resource.ts'

/** A provider is given so long to renew a token, and who renews has the connection for longer than that. */
const RENEWAL_LIMIT_MS = 45_000
const LEASE_MS = 60_000
const LOOK_EVERY_MS = 100
/** A token that is refused right after it was renewed would be refused again. */
const REST_AFTER_REFUSAL_MS = 30_000
const EVENT = 'connection.needs_owner'

/** The tokens of connections as all of a hub use them: each renewed once, however many wait for it. */
export function connectionTokens(hub: Hub): ConnectionTokens & Pick<Tokens, 'current'> {
  const tokens = partOf(hub, openTokens)
  return {
    current: tokens.current,
    refuse: tokens.refuse,
    async find(connection_id, address) {
      try {
        await checkMeant(hub, connection_id, address)
        return await tokens.current(connection_id)
      } catch (error) {
        const { name, message } = error as Error
        const fault = error instanceof SourceFault ? message : name
        hub.log.warn({ connection_id, fault }, 'a connection has no token for a tool')
        throw new UpstreamFailure('credential_missing', false)
      }
    },
  }
}

interface Tokens extends Pick<ConnectionTokens, 'refuse'> {
  /** A token that counts now; throws a `SourceFault` where there is none. */
  current(connection_id: string): Promise<string>
}

/** A token goes where the owner authorised it for, whatever the policy says. */
async function checkMeant(hub: Hub, connection_id: string, address: string): Promise<void> {
  const connection = await findConnection(hub.db, connection_id)
  if (connection?.status !== 'active')
    throw new SourceFault('needs_attention', 'There is no such connection, or it is revoked.')
  const { resource } = await requireCredential(hub, connection_id)
  if (resource === undefined || !covers(resource, address))
    throw new SourceFault('refused', 'The connection was authorised for another address.')
}

function openTokens(hub: Hub): Tokens {
  const under_way = new Map<string, Promise<string>>()
  const refused = new Map<string, string>()
  const gained = new Map<string, { token: string; at: number }>()
  const renewed = (connection_id: string, seen: OAuthCredential) => {
    const running = under_way.get(connection_id)
    if (running) return running
    const started = renewOnce(hub, connection_id, seen).finally(() => under_way.delete(connection_id))
    under_way.set(connection_id, started)
    return started
  }
  const isNew = (connection_id: string, token: string, now: Date) => {
    const last = gained.get(connection_id)
    return last?.token === token && now.getTime() - last.at < REST_AFTER_REFUSAL_MS
  }
  return {
    refuse: (connection_id, token) => void refused.set(connection_id, token),
    async current(connection_id) {
      const credential = await requireCredential(hub, connection_id)
      const { access_token } = credential
      const now = hub.system.now()
      const isTaken = refused.get(connection_id) !== access_token || isNew(connection_id, access_token, now)
      if (isTaken && isFresh(credential, now)) return access_token
      const token = await renewed(connection_id, credential)
      gained.set(connection_id, { token, at: now.getTime() })
      return token
    },
  }
}

async function requireCredential(hub: Hub, connection_id: string): Promise<OAuthCredential> {
  const text = await readSecret(hub.db, hub, connection_id, OAUTH_SECRET)
  if (text === undefined) throw new SourceFault('needs_attention', 'The connection has no authorisation.')
  return parseCredential(text)
}

/** Renews where nobody else does: this process asks once at a time, and of several hubs one holds the connection. */
async function renewOnce(hub: Hub, connection_id: string, seen: OAuthCredential): Promise<string> {
  const by = hub.system.random(8)
  for (;;) {
    hub.stopping.signal.throwIfAborted()
    const standing = await findAuthorization(hub.db, connection_id)
    if (standing?.needs_owner_since) throw new SourceFault('needs_attention', standing.fault ?? OVER)
    const current = await requireCredential(hub, connection_id)
    if (current.access_token !== seen.access_token) return current.access_token
    const now = hub.system.now()
    const until = new Date(now.getTime() + LEASE_MS)
    const isOurs = await hub.db.transaction((tx) => claimRenewal(tx, connection_id, { by, now, until }))
    if (isOurs) return renewHeld(hub, connection_id, by, seen)
    await pause(LOOK_EVERY_MS)
  }
}

const OVER = 'The authorisation is over. Connect again.'

async function renewHeld(
  hub: Hub,
  connection_id: string,
  by: string,
  seen: OAuthCredential,
): Promise<string> {
  try {
    // Between the look and the claim somebody else may have been here.
    const current = await requireCredential(hub, connection_id)
    if (current.access_token !== seen.access_token) return current.access_token
    const signal = AbortSignal.any([hub.stopping.signal, AbortSignal.timeout(RENEWAL_LIMIT_MS)])
    const renewed = await renewCredential(openSafeFetch(hub, signal), current, hub.system.now)
    await keep(hub, connection_id, by, renewed)
    return renewed.access_token
  } catch (error) {
    if (error instanceof SourceFault && error.code === 'needs_attention')
      await tellOwner(hub, connection_id, error.message)
    throw error
  } finally {
    await hub.db.transaction((tx) => releaseRenewal(tx, connection_id, by))
  }
}

async function keep(hub: Hub, connection_id: string, by: string, renewed: OAuthCredential): Promise<void> {
  const value = JSON.stringify(renewed)
  await hub.db.transaction(async (tx) => {
    if (await releaseRenewal(tx, connection_id, by))
      await replaceSecret(tx, hub, { connection_id, name: OAUTH_SECRET, value })
  })
}

/** One thing that needs the owner: noted once, and told once, however many calls come upon it. */
async function tellOwner(hub: Hub, connection_id: string, fault: string): Promise<void> {
  const now = hub.system.now()
  const request_id = `req_${hub.system.random(8)}`
  const call = {
    caller: localCaller('knowtation'),
    vault_id: 'default',
    surface: 'rest' as const,
    now,
    request_id,
  }
  await hub.db.transaction(async (tx) => {
    if (!(await noteNeed(tx, connection_id, fault, now))) return
    const data = { at: now.toISOString(), reason: fault }
    await publishEvent(tx, hub, { type: EVENT, subject: connection_id, connection_id, data })
    const object = { type: 'connection', id: connection_id, connection_id }
    await appendEvent(tx, hub, call, {
      event: EVENT,
      operation: 'renew_authorization',
      object,
      selector: undefined,
      error: undefined,
      data,
    })
  })
}
