import type { SafeFetch } from '../../../domains/control/connectors/connector.ts'
import { openPublicFetch } from '../../../domains/control/connectors/safe-fetch.ts'
import type { Hub } from '../../../operations/hub.ts'
import { findOauthRecord, putOauthRecord } from '../../../platform/identity/mcp/oauth-records.ts'
import { readRegistration } from './check-request.ts'

const DOCUMENT_BYTES = 16_384
const DOCUMENT_MS = 5_000
/** What was fetched counts for so long; where the owner then allows something, for as long as that stands. */
const KEPT_MS = 3_600_000

/**
 * A program that names itself by the address of a document of its vendor. Only hosts that the owner lists are asked, by
 * the fetch that reaches public addresses alone; of the document counts what would count of a registration.
 */
export async function findDocumentClient(
  hub: Pick<Hub, 'db' | 'config' | 'system'>,
  id: string,
  openFetch: () => SafeFetch = () => openPublicFetch(hub as Hub, AbortSignal.timeout(DOCUMENT_MS)),
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (!isListed(hub, id)) return undefined
  const now = hub.system.now()
  const kept = await findOauthRecord(hub.db, 'Client', id, now)
  if (kept) return JSON.parse(kept.payload_json) as Record<string, unknown>
  const document = await fetchDocument(openFetch(), id).catch(() => undefined)
  if (!document) return undefined
  const record = {
    consent_id: null,
    payload_json: JSON.stringify(document),
    expires_at: new Date(now.getTime() + KEPT_MS).toISOString(),
  }
  await hub.db.transaction((tx) => putOauthRecord(tx, 'Client', id, record))
  return document
}

function isListed({ config }: Pick<Hub, 'config'>, id: string): boolean {
  const url = URL.parse(id)
  const isPlain = url?.href === id && url.protocol === 'https:' && url.pathname !== '/' && !/[?#@]/.test(id)
  return isPlain && url.port === '' && config.mcp.client_metadata_hosts.includes(url.hostname)
}

/** It lies where it says, and nowhere that it leads to. */
async function fetchDocument(
  fetch: SafeFetch,
  id: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await fetch(id, { headers: { accept: 'application/json' }, max_bytes: DOCUMENT_BYTES })
  if (answer.status !== 200 || answer.url !== id) return undefined
  const body = JSON.parse(answer.body.toString('utf8')) as { client_id?: unknown }
  return body.client_id === id ? readRegistration(body) : undefined
}
