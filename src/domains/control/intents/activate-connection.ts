import { hostname } from 'node:os'
import type { Hub } from '../../../operations/hub.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { sql, type Transaction } from '../../../platform/storage/database.ts'
import { clearAuthorization } from '../authorization/authorization-store.ts'
import { putSecret, removeSecrets } from '../connections/connection-secrets.ts'
import {
  changeSettings,
  findConnection,
  holdConnection,
  insertConnection,
} from '../connections/connection-store.ts'
import type { DraftConnection } from '../connections/open-source.ts'
import type { ConnectorManifest } from '../connectors/manifest-schema.ts'
import { putSchedule } from '../schedules/schedule-store.ts'
import { asIntentRefusal } from './intent-errors.ts'
import { endIntent, findIntent, type IntentRow } from './intent-store.ts'

const insertDevice = sql(
  'INSERT INTO owner_devices (device_id, device_name, enrolled_at, connection_id) VALUES (?, ?, ?, ?)',
)

/** A connection that has been tried, and may become active. */
export interface TriedConnection {
  readonly intent: IntentRow
  readonly manifest: ConnectorManifest
  readonly draft: DraftConnection
  /** What the machine of a local collector is called; its own name where nothing is given. */
  readonly device_name?: string | undefined
}

/**
 * Makes a connection of an intent, in one transaction: the row, its sealed credentials, its schedule, its
 * device, and the end of the intent. An intent that is over in the meantime makes none.
 */
export async function activateConnection(
  tx: Transaction,
  hub: Hub,
  tried: TriedConnection,
  now: Date,
): Promise<IntentRow> {
  const { intent, manifest, draft } = tried
  const { connection_id, settings, secrets } = draft
  const ended = { state: 'completed' as const, connection_id }
  if (!(await endIntent(tx, intent.intent_id, ended, now))) throw new OwnerRefusal('intent_ended')
  const at = now.toISOString()
  if (intent.connection_id !== null) return authoriseAnew(tx, hub, tried, now)
  await insertConnection(tx, {
    connection_id,
    connector_id: intent.connector_id,
    display_name: intent.display_name,
    status: 'active',
    source_kind: manifest.connector_modality,
    settings_json: JSON.stringify(settings),
    created_at: at,
    updated_at: at,
    revoked_at: null,
    last_seq: 0,
  })
  await sealAll(tx, hub, connection_id, secrets)
  const every = manifest.default_interval_seconds
  const timing = { cron: null, interval_seconds: every ?? null, timezone: 'UTC' }
  if (every !== undefined) await putSchedule(tx, connection_id, timing, now)
  if (manifest.setup_modality === 'local_collector') await addDevice(tx, hub, tried, at)
  return (await findIntent(tx, intent.intent_id)) as IntentRow
}

/** Gives a connection what was tried, in place of what it had. It keeps its id, its name and all it collected. */
async function authoriseAnew(
  tx: Transaction,
  hub: Hub,
  { intent, draft }: TriedConnection,
  now: Date,
): Promise<IntentRow> {
  const { connection_id, settings, secrets } = draft
  await holdConnection(tx, connection_id)
  const found = await findConnection(tx, connection_id)
  if (found?.status !== 'active') throw new OwnerRefusal('intent_ended')
  await removeSecrets(tx, connection_id)
  await clearAuthorization(tx, connection_id)
  await changeSettings(tx, connection_id, JSON.stringify(settings), now)
  await sealAll(tx, hub, connection_id, secrets)
  return (await findIntent(tx, intent.intent_id)) as IntentRow
}

async function sealAll(
  tx: Transaction,
  hub: Hub,
  connection_id: string,
  secrets: ReadonlyMap<string, string>,
): Promise<void> {
  try {
    for (const [name, value] of secrets) await putSecret(tx, hub, { connection_id, name, value })
  } catch (error) {
    throw asIntentRefusal(error)
  }
}

async function addDevice(
  tx: Transaction,
  { system }: Hub,
  { draft, device_name = hostname() }: TriedConnection,
  at: string,
): Promise<void> {
  await tx.run(insertDevice, `dev_${system.random(8)}`, device_name, at, draft.connection_id)
}
