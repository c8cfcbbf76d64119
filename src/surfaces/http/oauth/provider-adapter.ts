import type { Hub } from '../../../operations/hub.ts'
import { endMcpConsent, findStandingConsent } from '../../../platform/identity/mcp/mcp-consents.ts'
import {
  findOauthRecord,
  type OauthKind,
  putOauthRecord,
  removeOauthRecord,
  useOauthRecord,
} from '../../../platform/identity/mcp/oauth-records.ts'
import { findDocumentClient } from './client-documents.ts'
import { UNUSED_CLIENT_SECONDS } from './lifetimes.ts'

export type Payload = Readonly<Record<string, unknown>>

/** What the library asks of its storage, for one kind of thing. */
export interface ProviderStorage {
  upsert(id: string, payload: Payload, expires_in?: number): Promise<void>
  find(id: string): Promise<Payload | undefined>
  findByUid(): Promise<undefined>
  findByUserCode(): Promise<undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(consent_id: string): Promise<void>
}

/** A refresh token may come again for so long: programs send several at once when their token ends. */
const GRACE_MS = 30_000
const STORED: readonly string[] = [
  'Client',
  'Interaction',
  'AuthorizationCode',
  'AccessToken',
  'RefreshToken',
] satisfies OauthKind[]
/** Under which name the library has the id of a thing: it is not stored, only its hash. */
const ID_NAMES: Readonly<Record<string, string>> = { Client: 'client_id' }

interface Needs {
  readonly hub: Hub
  readonly resource: string
  /** The library's own error for what does not count. */
  readonly invalidGrant: (why: string) => Error
  /** Makes ready what a new access token stands for. */
  readonly prepareToken: (consent_id: string) => Promise<void>
}

/**
 * The library's storage on ours. Ids, codes and tokens are kept as hashes only; what it calls a grant is the owner's
 * consent, which only the owner's decision makes; sessions it has none, since the owner has their own.
 */
export function providerStorage(needs: Needs): (kind: string) => ProviderStorage {
  const nothing: ProviderStorage = {
    upsert: async () => {},
    find: async () => undefined,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    destroy: async () => {},
    revokeByGrantId: (consent_id) => endReused(needs, consent_id),
  }
  return (kind) => {
    if (kind === 'Client') return clientStorage(needs, nothing)
    if (kind === 'Grant') return { ...nothing, find: (id) => findGrantPayload(needs, id) }
    return STORED.includes(kind) ? { ...nothing, ...storageOf(needs, kind as OauthKind) } : nothing
  }
}

/** Programs that registered here, and those that a listed vendor describes. */
function clientStorage(needs: Needs, nothing: ProviderStorage): ProviderStorage {
  const registered = storageOf(needs, 'Client')
  const find = async (id: string) => {
    if (!id.startsWith('https://')) return registered.find(id)
    const client = await findDocumentClient(needs.hub, id)
    return client && { ...client, client_id: id }
  }
  return { ...nothing, ...registered, find }
}

function storageOf(
  needs: Needs,
  kind: OauthKind,
): Pick<ProviderStorage, 'upsert' | 'find' | 'consume' | 'destroy'> {
  const { hub, invalidGrant, prepareToken } = needs
  const { db, system } = hub
  const find = (id: string) => findOauthRecord(db, kind, id, system.now())
  return {
    async upsert(id, payload, expires_in = UNUSED_CLIENT_SECONDS) {
      const consent_id =
        typeof payload.grantId === 'string' && kind !== 'Interaction' ? payload.grantId : null
      if (kind === 'AccessToken' && consent_id !== null && !(await find(id))) await prepareToken(consent_id)
      const { [ID_NAMES[kind] ?? 'jti']: _, ...kept } = payload
      const expires_at = new Date(system.now().getTime() + expires_in * 1_000).toISOString()
      const record = { consent_id, payload_json: JSON.stringify(kept), expires_at }
      await db.transaction(async (tx) => {
        // Whatever ended the consent meanwhile has removed its tokens: no new one may come after.
        if (consent_id !== null && !(await findStandingConsent(tx, consent_id, system.now())))
          throw invalidGrant('the consent is over')
        await putOauthRecord(tx, kind, id, record)
      })
    },
    async find(id) {
      const record = await find(id)
      if (!record) return undefined
      const now = system.now().getTime()
      // The library goes by the machine's clock, we by the hub's.
      const left = Math.ceil((Date.parse(record.expires_at) - now) / 1_000)
      const isUsed =
        record.used_at !== null && kind !== 'Interaction' && !isInGrace(kind, record.used_at, now)
      return {
        ...(JSON.parse(record.payload_json) as Payload),
        [ID_NAMES[kind] ?? 'jti']: id,
        ...(kind !== 'Client' && { exp: Math.floor(Date.now() / 1_000) + left }),
        ...(isUsed && { consumed: true }),
      }
    },
    async consume(id) {
      const now = system.now()
      if (await db.transaction((tx) => useOauthRecord(tx, kind, id, now))) return
      const record = await find(id)
      if (record?.used_at && isInGrace(kind, record.used_at, now.getTime())) return
      // Two came at the same time, perhaps at two hubs: that is no other case than one after the other.
      if (record?.consent_id) await endReused(needs, record.consent_id)
      throw invalidGrant('used before')
    },
    destroy: (id) => db.transaction((tx) => removeOauthRecord(tx, kind, id)),
  }
}

function isInGrace(kind: OauthKind, used_at: string, now: number): boolean {
  return kind === 'RefreshToken' && now - Date.parse(used_at) < GRACE_MS
}

/** A code or token that came again ends all that was given out with it. */
async function endReused({ hub }: Needs, consent_id: string): Promise<void> {
  await hub.db.transaction((tx) => endMcpConsent(tx, consent_id, 'reused', hub.system.now()))
}

async function findGrantPayload({ hub, resource }: Needs, consent_id: string): Promise<Payload | undefined> {
  const consent = await findStandingConsent(hub.db, consent_id, hub.system.now())
  if (!consent) return undefined
  const now = Math.floor(Date.now() / 1_000)
  return {
    jti: consent_id,
    kind: 'Grant',
    accountId: 'owner',
    clientId: consent.client_id,
    resources: { [resource]: 'mcp' },
    iat: now,
    exp: now + 3_600,
  }
}
