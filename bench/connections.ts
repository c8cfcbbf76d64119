import { hash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { insertConnection } from '../src/domains/control/connections/connection-store.ts'
import { findRun, startRun } from '../src/domains/control/runs/run-store.ts'
import { runnerOf } from '../src/domains/control/runs/runner.ts'
import { putSchedule } from '../src/domains/control/schedules/schedule-store.ts'
import { allOperations } from '../src/domains/index.ts'
import { type Hub, openHub } from '../src/operations/hub.ts'
import { runOperation } from '../src/operations/run-operation.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import { localCaller } from '../src/platform/identity/caller.ts'
import { type SqlValue, sql, type Transaction } from '../src/platform/storage/database.ts'
import { startHub } from '../src/surfaces/http/start-hub.ts'
import { temporaryFolder } from './hub-process.ts'
import { idleShare, median } from './machine.ts'
import { startPostgres } from './postgres-process.ts'
import { tellVerdict } from './verdict.ts'

const RESTING = 1_000
const REST_MS = 10_000
const INGESTED = 50_000
const PAGE = 500
const INGEST_ROUNDS = 3
const DELETED = 100_000
const DELETE_ROUNDS = 3
const LISTED = 10_000
const LIST_ROUNDS = 40
const TEXT = 'A line of text that a record of some source could well have. '.repeat(4)

const quiet = () => {}
const log = { debug: quiet, info: quiet, warn: quiet, error: console.error }

type Kind = 'SQLite' | 'PostgreSQL'
interface Place {
  kind: Kind
  env: NodeJS.ProcessEnv
}

const CODE = `
const text = ${JSON.stringify(TEXT)}
export const collector = {
  async probe() { return {} },
  async *collect(source) {
    const count = Number(source.settings.count)
    for (let at = 0; at < count; at += ${PAGE}) {
      const upserts = Array.from({ length: ${PAGE} }, (_, n) => ({ key: 'key-' + (at + n), data: { n: at + n, text } }))
      yield { stream: 'items', upserts, checkpoint: { at: at + ${PAGE} }, bytes: ${PAGE} * 300, total: count }
    }
  },
}
`

function installConnector(folder: string): void {
  const own = join(folder, 'connectors', 'bench')
  mkdirSync(own, { recursive: true })
  const manifest = {
    connector_id: 'bench',
    display_name: 'Bench',
    version: '1.0.0',
    connector_modality: 'api_network',
    setup_modality: 'static_secret',
    support_state: 'supported',
    reason: 'Made for this benchmark.',
    streams: ['items'],
    settings: [{ name: 'count', label: 'Count', kind: 'text', required: true }],
    collector: 'collector.mjs',
  }
  writeFileSync(join(own, 'manifest.yaml'), JSON.stringify(manifest))
  writeFileSync(join(own, 'collector.mjs'), CODE)
  for (const path of [own, join(own, 'collector.mjs')]) chmodSync(path, 0o700)
}

let made = 0

async function addConnection(tx: Transaction, now: Date, count: number): Promise<string> {
  const connection_id = `conn_${String(++made).padStart(24, '0')}`
  const at = now.toISOString()
  await insertConnection(tx, {
    connection_id,
    connector_id: 'bench',
    display_name: `Connection ${made}`,
    status: 'active',
    source_kind: 'api_network',
    settings_json: JSON.stringify({ count: String(count) }),
    created_at: at,
    updated_at: at,
    revoked_at: null,
    last_seq: 0,
  })
  return connection_id
}

async function addMany(hub: Hub, count: number): Promise<void> {
  const now = hub.system.now()
  for (let left = count; left > 0; left -= 1_000)
    await hub.db.transaction(async (tx) => {
      for (let each = 0; each < Math.min(1_000, left); each++) {
        const connection_id = await addConnection(tx, new Date(now.getTime() + made), 0)
        await putSchedule(
          tx,
          connection_id,
          { cron: '0 3 * * *', interval_seconds: null, timezone: 'UTC' },
          now,
        )
      }
    })
}

async function openAt(place: Place): Promise<{ hub: Hub; close(): Promise<void> }> {
  const { folder, remove } = temporaryFolder()
  installConnector(folder)
  const hub = await openHub({ home: homeAt(folder, {}), env: place.env, system: realSystem, log })
  const close = async () => {
    await hub.close()
    remove()
  }
  return { hub, close }
}

/** Collects once, through the queue, and answers how long it took. */
async function collect(hub: Hub, count: number): Promise<{ connection_id: string; ms: number }> {
  const connection_id = await hub.db.transaction((tx) => addConnection(tx, hub.system.now(), count))
  const wanted = { connection_id, cause: 'owner', requested_by: 'bench' } as const
  const begun = performance.now()
  const started = await hub.db.transaction((tx) => startRun(tx, hub, wanted))
  if (typeof started === 'string') throw new Error(started)
  await runnerOf(hub).look()
  for (;;) {
    const run = await findRun(hub.db, started.run_id)
    if (run?.state === 'succeeded') return { connection_id, ms: performance.now() - begun }
    if (run?.state === 'failed') throw new Error(run.fault_text ?? 'failed')
    await pause(10)
  }
}

/** The processor time of a hub that serves and has nothing to do, as a share of one core. */
async function measureRest(place: Place): Promise<void> {
  const { folder, remove } = temporaryFolder()
  installConnector(folder)
  const options = { home: homeAt(folder, {}), env: place.env, system: realSystem, log }
  const running = await startHub({ ...options, host: '127.0.0.1', port: 0 })
  await addMany(running.hub, RESTING)
  // One run first: the queue is open from then on.
  await collect(running.hub, PAGE)
  await pause(1_500)
  const [begun, since] = [process.cpuUsage(), performance.now()]
  await pause(REST_MS)
  const { user, system } = process.cpuUsage(begun)
  const share = (user + system) / 10 / (performance.now() - since)
  await running.stop()
  remove()
  const name = `hub with ${RESTING} scheduled connections at rest, share of a core, ${place.kind}`
  tellVerdict({ name, measured: share, bar: '≤ 1', unit: '%' })
}

const COLUMNS = 'connection_id, stream, record_key, seq, hash, data_json, updated_at'
const bareInsert = sql(
  `INSERT INTO records (${COLUMNS}) VALUES ${Array.from({ length: PAGE }, () => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
)

/** The same rows in the same table, made ready before, a page a transaction. */
async function insertBare(hub: Hub, count: number): Promise<number> {
  const connection_id = `conn_${String(++made).padStart(24, '0')}`
  const at = hub.system.now().toISOString()
  const pages: SqlValue[][] = []
  for (let from = 0; from < count; from += PAGE)
    pages.push(
      Array.from({ length: PAGE }, (_, n) => {
        const data = JSON.stringify({ n: from + n, text: TEXT })
        const key = `key-${from + n}`
        return [connection_id, 'items', key, from + n + 1, hash('sha256', data, 'base64url'), data, at]
      }).flat(),
    )
  const begun = performance.now()
  for (const values of pages) await hub.db.transaction((tx) => tx.run(bareInsert, ...values))
  return performance.now() - begun
}

async function compareIngest(place: Place): Promise<void> {
  console.log(`Ingest: ${INGESTED} records in pages of ${PAGE}, ${place.kind}`)
  const { hub, close } = await openAt(place)
  await collect(hub, PAGE)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < INGEST_ROUNDS; round++) {
    bare.push(await insertBare(hub, INGESTED))
    ours.push((await collect(hub, INGESTED)).ms)
  }
  await close()
  const rate = (ms: number) => ((INGESTED / ms) * 1_000).toFixed(0)
  console.log(`  bare ${rate(median(bare))} rows/s, collected ${rate(median(ours))} records/s`)
  const name = `ingest against bare batched inserts, ${place.kind}`
  tellVerdict({ name, measured: median(bare) / median(ours), bar: '≥ 0.3', unit: '×' })
}

const bareDelete = sql('DELETE FROM records WHERE connection_id = ?')
const copyRecords = sql(
  `INSERT INTO records (${COLUMNS})
   SELECT ?, stream, record_key, seq, hash, data_json, updated_at FROM records WHERE connection_id = ?`,
)
const copyStreams = sql(
  `INSERT INTO record_streams (connection_id, stream, record_count, last_seq, updated_at)
   SELECT ?, stream, record_count, last_seq, updated_at FROM record_streams WHERE connection_id = ?`,
)

/** Another connection with the same records. */
function copyOf(hub: Hub, original: string): Promise<string> {
  return hub.db.transaction(async (tx) => {
    const connection_id = await addConnection(tx, hub.system.now(), 0)
    await tx.run(copyRecords, connection_id, original)
    await tx.run(copyStreams, connection_id, original)
    return connection_id
  })
}

async function compareDelete(place: Place): Promise<void> {
  console.log(`Delete: a connection with ${DELETED} records, ${place.kind}`)
  const { hub, close } = await openAt(place)
  const remove = callerOf(hub, 'owner_connection_delete')
  const { connection_id: original } = await collect(hub, DELETED)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < DELETE_ROUNDS; round++) {
    const [first, second] = [await copyOf(hub, original), await copyOf(hub, original)]
    bare.push(await msOf(() => hub.db.transaction((tx) => tx.run(bareDelete, first))))
    ours.push(await msOf(() => remove({ connection_id: second })))
  }
  await close()
  console.log(`  bare ${median(bare).toFixed(0)} ms, delete_connection ${median(ours).toFixed(0)} ms`)
  const name = `delete of ${DELETED} records against the bare SQL, ${place.kind}`
  tellVerdict({ name, measured: median(ours) / median(bare), bar: '≤ 3', unit: '×' })
}

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}

function callerOf(hub: Hub, name: string) {
  const operation = allOperations.find((one) => one.name === name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  return async (input: object) => {
    const call = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'bench' } as const
    const answer = await runOperation(hub, { ...call, vault: undefined, input })
    if (!answer.ok) throw new Error(answer.text)
    return JSON.parse(answer.text) as { next_cursor: string | null; data: unknown[] }
  }
}

async function comparePages(place: Place): Promise<void> {
  console.log(`Pages: 100 of ${LISTED} connections, the last page against the first, ${place.kind}`)
  const { hub, close } = await openAt(place)
  await addMany(hub, LISTED)
  const list = callerOf(hub, 'owner_connection_list')
  let cursor: string | undefined
  for (let page = 0; page < LISTED / 100 - 1; page++) {
    const found = await list({ limit: 100, ...(cursor !== undefined && { cursor }) })
    cursor = found.next_cursor ?? undefined
  }
  const last = { limit: 100, cursor }
  if ((await list(last)).data.length !== 100) throw new Error('The last page is not whole.')
  const times = { first: [] as number[], last: [] as number[] }
  for (let round = 0; round < LIST_ROUNDS; round++) {
    times.first.push(await msOf(() => list({ limit: 100 })))
    times.last.push(await msOf(() => list(last)))
  }
  await close()
  const [first, end] = [median(times.first), median(times.last)]
  console.log(`  first ${first.toFixed(2)} ms, last ${end.toFixed(2)} ms`)
  const name = `last page of ${LISTED} connections against the first, ${place.kind}`
  tellVerdict({ name, measured: end / first, bar: '≤ 1.5', unit: '×' })
}

console.log(`idle before ${((await idleShare()) * 100).toFixed(0)} %`)
const postgres = await startPostgres()
const places: Place[] = [
  { kind: 'SQLite', env: {} },
  {
    kind: 'PostgreSQL',
    env: { KNOWTATION_DATABASE_URL: postgres.url, KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) },
  },
]
for (const place of places) {
  await measureRest(place)
  await compareIngest(place)
  await compareDelete(place)
  await comparePages(place)
}
await postgres.stop()
