import { putSecret } from '../../src/domains/control/connections/connection-secrets.ts'
import {
  insertConnection,
  newConnectionId,
  setConnectionStatus,
} from '../../src/domains/control/connections/connection-store.ts'
import { endIntent, insertIntent } from '../../src/domains/control/intents/intent-store.ts'
import { applyPage } from '../../src/domains/control/records/record-store.ts'
import { claimWatch } from '../../src/domains/control/runs/watch-store.ts'
import { type SqlValue, sql } from '../../src/platform/storage/database.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { type Received, send, startRestHub } from '../rest/rest-hub.fixture.ts'
import { makeAgent, ownerOrigin, setUpOwner, type Visitor } from './owner-visitor.ts'

export const CREDENTIAL_SENTINEL = 'sentinel-credential-9f2d'
export const RECORD_SENTINEL = 'sentinel-record-51ac'

/** What a sample connection has beside its row. */
export interface SampleWish {
  connection_id?: string
  connector_id?: string
  display_name?: string | null
  status?: 'active' | 'revoked'
  records?: number
  created_at?: string
}

const addSchedule = sql(
  `INSERT INTO connection_schedules (connection_id, cron, interval_seconds, timezone, enabled, next_run_at,
   created_at, updated_at) VALUES (?, NULL, 3600, 'UTC', 1, '2099-01-01T00:00:00.000Z', ?, ?)`,
)
const addDevice = sql(
  'INSERT INTO owner_devices (device_id, device_name, enrolled_at, connection_id) VALUES (?, ?, ?, ?)',
)
const addRun = sql(
  `INSERT INTO collection_runs (run_id, connection_id, live_key, cause, state, attempt, max_attempts, queued_at,
   run_at, started_at, ended_at, owner, fence, lease_until, cancel_reason, progress_json, fault_code, fault_text,
   requested_by) VALUES (?, ?, ?, 'owner', ?, 1, 5, ?, ?, ?, ?, NULL, 1, NULL, NULL, ?, ?, ?, 'test')`,
)
const addRunEvent = sql(
  `INSERT INTO collection_run_events (run_id, seq, at, type, data_json) VALUES (?, 1, ?, 'run.queued', '{}')`,
)

/** A connection with records in two streams, a credential, a schedule, a device and a finished run. */
export async function addConnection({ hub }: TestHub, wish: SampleWish = {}): Promise<string> {
  const { connector_id = 'amazon', display_name = null, status = 'active', records = 3 } = wish
  const { connection_id = newConnectionId(hub.system) } = wish
  const at = wish.created_at ?? hub.system.now().toISOString()
  await hub.db.transaction(async (tx) => {
    await insertConnection(tx, {
      connection_id,
      connector_id,
      display_name,
      status: 'active',
      source_kind: 'browser_bound',
      settings_json: '{}',
      created_at: at,
      updated_at: at,
      revoked_at: null,
      last_seq: 0,
    })
    await putSecret(tx, hub, { connection_id, name: 'password', value: CREDENTIAL_SENTINEL })
    await tx.run(addSchedule, connection_id, at, at)
    await tx.run(addDevice, `dev_${connection_id.slice(5)}`, 'Desk', at, connection_id)
    for (const stream of ['orders', 'items']) await applyPage(tx, connection_id, pageOf(stream, records), at)
    if (status === 'revoked') await setConnectionStatus(tx, connection_id, status, hub.system.now())
  })
  await addFinishedRun({ hub }, connection_id)
  return connection_id
}

function pageOf(stream: string, records: number) {
  const upserts = Array.from({ length: records }, (_, at) => ({
    key: `k${at}`,
    data: { n: at, text: RECORD_SENTINEL },
  }))
  return { stream, upserts, checkpoint: null, bytes: 0 }
}

const PROGRESS = JSON.stringify({ pages: 1, records: 3, changed: 3, removed: 0, bytes: 9, total: null })

/** A run of a connection as it lies in the store: ended, or under way. */
export async function addFinishedRun(
  { hub }: Pick<TestHub, 'hub'>,
  connection_id: string,
  { state = 'succeeded', at = '2026-01-01T00:00:00.000Z', fault = null as string | null } = {},
): Promise<string> {
  const run_id = `run_${hub.system.random(16)}`
  const isLive = state === 'running' || state === 'queued'
  const ended = isLive ? null : at
  const live_key = isLive ? connection_id : null
  const fault_text = fault && 'What went wrong.'
  const values = [run_id, connection_id, live_key, state, at, at, at, ended, PROGRESS, fault, fault_text]
  await hub.db.transaction(async (tx) => {
    await tx.run(addRun, ...values)
    await tx.run(addRunEvent, run_id, at)
  })
  return run_id
}

/** What only some connections have: a removed record, a watch, and the intent that they began with. */
export async function addTraces({ hub }: Pick<TestHub, 'hub'>, connection_id: string): Promise<void> {
  const at = hub.system.now().toISOString()
  const removal = { stream: 'orders', upserts: [], removals: ['k0'], checkpoint: null, bytes: 0 }
  const intent = { connector_id: 'amazon', display_name: null, step: 'open_url', scope_json: null }
  const intent_id = `cint_${hub.system.random(8)}`
  await hub.db.transaction(async (tx) => {
    await applyPage(tx, connection_id, removal, at)
    await claimWatch(tx, hub, connection_id, 'test')
    const times = { created_at: at, created_by: 'test', expires_at: '2099-01-01T00:00:00.000Z' }
    await insertIntent(tx, { intent_id, ...intent, ...times, state: 'open', code: undefined })
    await endIntent(tx, intent_id, { state: 'completed', connection_id }, hub.system.now())
  })
}

const TABLES: Readonly<Record<string, string>> = {
  connections: 'connection_id = ?',
  connection_secrets: 'connection_id = ?',
  connection_checkpoints: 'connection_id = ?',
  connection_schedules: 'connection_id = ?',
  owner_devices: 'connection_id = ?',
  records: 'connection_id = ?',
  record_streams: 'connection_id = ?',
  record_removals: 'connection_id = ?',
  connection_intents: 'connection_id = ?',
  connection_watches: 'connection_id = ?',
  collection_runs: 'connection_id = ?',
  // An event whose run is gone was left behind, and counts whoever is asked about.
  collection_run_events: `run_id IN (SELECT run_id FROM collection_runs WHERE connection_id = ?)
    OR run_id NOT IN (SELECT run_id FROM collection_runs)`,
}

/** Takes all connections away, with what hangs on them. */
export async function removeConnections({ hub }: Pick<TestHub, 'hub'>): Promise<void> {
  await hub.db.transaction(async (tx) => {
    for (const table of Object.keys(TABLES)) await tx.run(sql(`DELETE FROM ${table}`))
  })
}

/** Every row that belongs to a connection, to the letter, by its table. */
export async function everythingOf(
  { hub }: Pick<TestHub, 'hub'>,
  connection_id: string,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [table, test] of Object.entries(TABLES)) {
    const rows = await hub.db.all(
      sql<Record<string, SqlValue>>(`SELECT * FROM ${table} WHERE ${test}`),
      connection_id,
    )
    found[table] = rows.map((row) => JSON.stringify(row)).toSorted()
  }
  return found
}

/** A hub whose owner is set up, with an agent of theirs. */
export interface OwnedHub extends TestHub {
  readonly owner: Visitor
  readonly bearer: string
  /** Asks the owner's surface as the agent. */
  ask(method: string, path: string, body?: object): Promise<Received & { body: Body }>
  /** The same in the owner's session. */
  askAsOwner(method: string, path: string, body?: object): Promise<Received & { body: Body }>
  /** The events, newest first. */
  events(): Promise<Event[]>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as they come
export type Body = any
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Event = any

/** Starts one. */
export async function startOwnedHub(options: Parameters<typeof startRestHub>[0] = {}): Promise<OwnedHub> {
  const hub = await startRestHub(options)
  const owner = await setUpOwner(hub)
  const { bearer } = await makeAgent(hub, owner)
  const ask = async (method: string, path: string, body?: object) =>
    read(await send(hub.url, { method, path, bearer, ...(body && { body: JSON.stringify(body) }) }))
  const origin = ownerOrigin(hub)
  const askAsOwner = async (method: string, path: string, body?: object) =>
    read(
      await owner.ask({
        method,
        path,
        headers: { origin, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  const events = async () => (await askAsOwner('GET', '/_ref/events?limit=200')).body.data as Event[]
  return { ...hub, owner, bearer, ask, askAsOwner, events }
}

function read(answer: Received): Received & { body: Body } {
  return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) }
}
