import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import { findConnector } from '../connectors/connector-registry.ts'
import { readSecret } from './connection-secrets.ts'
import type { ConnectionRow } from './connection-store.ts'
import { openDraftSource } from './open-source.ts'

/** A provider that takes longer is left alone: our own copy is gone in any case. */
const LIMIT_MS = 5_000
const SECRETS_LIMIT = 20

const namesOf = sql<{ name: string }>('SELECT name FROM connection_secrets WHERE connection_id = ? LIMIT ?')

/** The credentials of a connection that its provider can be told to forget; undefined where there are none. */
export async function readReturnable(
  db: Reader,
  hub: Hub,
  { connection_id, connector_id }: ConnectionRow,
): Promise<Map<string, string> | undefined> {
  const connector = await findConnector(hub, connector_id)
  if (connector?.manifest.setup_modality !== 'provider_authorization') return undefined
  const secrets = new Map<string, string>()
  try {
    for (const { name } of await db.all(namesOf, connection_id, SECRETS_LIMIT)) {
      const value = await readSecret(db, hub, connection_id, name)
      if (value !== undefined) secrets.set(name, value)
    }
    return secrets
  } catch (error) {
    // What can no longer be unsealed can still be erased.
    reportFault(hub.log, 'give_back', error)
    return undefined
  }
}

/** Tells the provider to forget the credentials of a connection that is gone here. A failure is logged. */
export async function giveBack(
  hub: Hub,
  { connection_id, connector_id, settings_json }: ConnectionRow,
  secrets: Map<string, string>,
): Promise<void> {
  try {
    const collector = await (await findConnector(hub, connector_id))?.load()
    const settings = JSON.parse(settings_json) as Record<string, string>
    const draft = { connection_id, settings, secrets }
    await collector?.revoke?.(openDraftSource(hub, draft, AbortSignal.timeout(LIMIT_MS)))
  } catch (error) {
    reportFault(hub.log, 'give_back', error)
  }
}
