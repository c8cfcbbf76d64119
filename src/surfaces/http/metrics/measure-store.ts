import { stat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Hub } from '../../../operations/hub.ts'
import { measureWaiting } from '../../../platform/approvals/approval-reads.ts'
import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'
import { sql } from '../../../platform/storage/database.ts'
import { askPatiently } from '../store-patience.ts'

interface Counted {
  what: string
  state: string
  count: number
}

/** What has been done with is counted where it is done; a table of it may be long. */
const underWay = sql<Counted>(
  `SELECT 'run' AS what, state, COUNT(*) AS count FROM collection_runs
     WHERE live_key IS NOT NULL GROUP BY state
   UNION ALL SELECT 'execution', state, COUNT(*) FROM boundary_executions WHERE owner IS NOT NULL GROUP BY state
   UNION ALL SELECT 'delivery', 'waiting', COALESCE(SUM(s.last_seq - d.delivered_seq), 0)
     FROM event_subscriptions s JOIN subscription_deliveries d ON d.subscription_id = s.subscription_id
     WHERE s.status = 'active'
   UNION ALL SELECT 'dead_letter', 'open', COUNT(*) FROM boundary_dead_letters WHERE replayed_at IS NULL`,
)
const databaseSize = sql<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes')

/** Numbers of the store, read when somebody asks for them. */
export function measureStore(hub: Hub, register: Registry): void {
  const registers = [register]
  const info = new Gauge({
    name: 'knowtation_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node', 'database'],
    registers,
  })
  info.set({ version: PACKAGE_VERSION, node: process.versions.node, database: hub.db.kind }, 1)
  const waiting: Gauge = new Gauge({
    name: 'knowtation_store_waiting',
    help: 'Calls that wait for their turn at the store, or for one of its connections.',
    registers,
    collect: () => waiting.set(hub.db.waiting()),
  })
  const waited: Counter = new Counter({
    name: 'knowtation_store_wait_seconds_total',
    help: 'Time that calls have waited for a connection to the database; its rate by that of calls is the usual wait.',
    registers,
    collect() {
      waited.reset()
      waited.inc((hub.db.waited_ms?.() ?? 0) / 1_000)
    },
  })
  measureUnderWay(hub, registers)
  measureApprovals(hub, registers)
  measureTakeovers(hub, registers)
  const sizes = askPatiently<Sizes>(() => sizesOf(hub), [])
  const bytes: Gauge = new Gauge({
    name: 'knowtation_database_bytes',
    help: 'Size of the database, and of its write-ahead log where that is a file of ours.',
    labelNames: ['part'],
    registers,
    async collect() {
      for (const [part, size] of await sizes()) bytes.set({ part }, size)
    },
  })
}

function measureUnderWay(hub: Hub, registers: Registry[]): void {
  const count = askPatiently(() => hub.db.all(underWay).catch(() => []), [])
  const gauge: Gauge = new Gauge({
    name: 'knowtation_under_way',
    help: 'Runs and executions by state, events that wait to be delivered, dead letters nobody has replayed.',
    labelNames: ['what', 'state'],
    registers,
    async collect() {
      const found = await count()
      gauge.reset()
      for (const one of found) gauge.set({ what: one.what, state: one.state }, Number(one.count))
    },
  })
}

function measureApprovals(hub: Hub, registers: Registry[]): void {
  const measure = askPatiently(
    () => measureWaiting(hub.db, hub.system.now()).catch(() => undefined),
    undefined,
  )
  const waiting: Gauge = new Gauge({
    name: 'knowtation_approvals_waiting',
    help: 'Calls that wait for the word of the owner.',
    registers,
    collect: async () => waiting.set((await measure())?.waiting ?? Number.NaN),
  })
  const oldest: Gauge = new Gauge({
    name: 'knowtation_approvals_oldest_seconds',
    help: 'How long the oldest of them has waited; 0 where none waits.',
    registers,
    async collect() {
      const since = (await measure())?.oldest
      oldest.set(since ? (hub.system.now().getTime() - Date.parse(since)) / 1_000 : 0)
    },
  })
}

function measureTakeovers({ takeovers }: Hub, registers: Registry[]): void {
  const counter: Counter = new Counter({
    name: 'knowtation_takeovers_total',
    help: 'Runs and executions that this hub has taken over because theirs had stopped.',
    labelNames: ['what'],
    registers,
    collect() {
      counter.reset()
      for (const what of ['run', 'execution'] as const) counter.inc({ what }, takeovers[what])
    },
  })
}

type Sizes = [part: string, size: number][]

async function sizesOf(hub: Hub): Promise<Sizes> {
  if (hub.db.kind === 'postgres') {
    const found = await hub.db.get(databaseSize).catch(() => undefined)
    return found ? [['database', Number(found.bytes)]] : []
  }
  return [
    ['database', await sizeOf(hub.home.database)],
    ['wal', await sizeOf(`${hub.home.database}-wal`)],
  ]
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => Number.NaN,
  )
}

/** Counts connections that were closed unanswered because there were too many. */
export function measureConnections(server: Server, register: Registry): void {
  const registers = [register]
  const dropped = new Counter({
    name: 'knowtation_dropped_connections_total',
    help: 'Connections closed unanswered because there were too many.',
    registers,
  })
  server.on('drop', () => dropped.inc())
}
