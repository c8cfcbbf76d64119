import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listRunEvents } from '../../src/domains/control/runs/run-events.ts'
import { findRun, progressOf, type RunRow, startRun } from '../../src/domains/control/runs/run-store.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { plainLog } from '../../src/platform/basics/plain-log.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type HubProcess, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { DATABASES, type DatabaseName } from '../harness/test-hub.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { type Asked, connect, installConnector, paged, startSource } from './run-source.ts'

const PAGES = 30
const SIZE = 7
const ENOUGH_PAGES = 6
const PATIENCE = { timeout: 60_000, interval: 100 }

const children: HubProcess[] = []
afterEach(async () => void (await Promise.all(children.splice(0).map((child) => child.end('SIGKILL')))))

const recordsOf = sql<{ record_key: string; seq: number }>(
  'SELECT record_key, seq FROM records WHERE connection_id = ? ORDER BY seq',
)

/** A run that one of two hubs works on. */
interface UnderWay {
  /** A handle of the test's own on their store. */
  hub: Hub
  run_id: string
  connection_id: string
  /** The hub that works on the run. */
  working: HubProcess
  asked: readonly Asked[]
  find(): Promise<RunRow>
}

/** Two processes on one store, PostgreSQL with a home each or SQLite in the same one, and a slow source. */
async function underTwoHubs(database: DatabaseName, act: (given: UnderWay) => Promise<void>): Promise<void> {
  using one = temporaryHome()
  using two = temporaryHome()
  await using source = await startSource()
  const some = paged(PAGES, SIZE)
  source.answer = async (asked) => {
    await pause(50)
    return some(asked)
  }
  const env: Record<string, string> = { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
  if (database === 'postgres') env.KNOWTATION_DATABASE_URL = await freshPostgresUrl()
  for (const { home } of [one, two]) installConnector(home)
  const homes = [one.home, database === 'postgres' ? two.home : one.home]
  children.push(...(await Promise.all(homes.map(({ folder }) => spawnHub({ home: folder, env })))))
  const log = plainLog(() => {}, realSystem.now)
  const hub = await openHub({ home: one.home, env, system: realSystem, log })
  try {
    const connection_id = await connect(hub, source.url)
    const wanted = { connection_id, cause: 'owner', requested_by: 'test' } as const
    const started = await hub.db.transaction((tx) => startRun(tx, hub, wanted))
    const { run_id } = started as { run_id: string }
    const find = async () => (await findRun(hub.db, run_id)) as RunRow
    await vi.waitFor(
      async () => expect(progressOf(await find()).pages).toBeGreaterThan(ENOUGH_PAGES),
      PATIENCE,
    )
    const [pid, ...others] = new Set(source.asked.map((asked) => asked.pid))
    expect(others).toEqual([])
    const working = children.find(({ child }) => child.pid === pid) as HubProcess
    await act({ hub, run_id, connection_id, working, asked: source.asked, find })
  } finally {
    await hub.close()
  }
}

function succeeds(find: () => Promise<RunRow>): Promise<RunRow> {
  return vi.waitFor(async () => {
    const row = await find()
    expect(row.state).toBe('succeeded')
    return row
  }, PATIENCE)
}

async function expectOnce(hub: Hub, connection_id: string): Promise<void> {
  const rows = await hub.db.all(recordsOf, connection_id)
  const keys = Array.from({ length: PAGES * SIZE }, (_, at) => `k${at}`)
  expect(rows.map(({ record_key }) => record_key)).toEqual(keys)
  expect(rows.map(({ seq }) => seq)).toEqual(keys.map((_, at) => at + 1))
}

describe.each(DATABASES)('two hubs on one store, %s', (database) => {
  test(
    'when the one that collects is killed, the other goes on, and nothing is there twice',
    () =>
      underTwoHubs(database, async ({ hub, run_id, connection_id, working, asked, find }) => {
        const { fence } = await find()
        await working.end('SIGKILL')
        const left = await find()
        expect([left.state, left.fence]).toEqual(['running', fence])
        const last = await succeeds(find)
        expect([last.attempt, last.fence]).toEqual([2, fence + 1])
        const byOther = asked.filter(({ pid }) => pid !== working.child.pid)
        // It goes on from the last page that was kept, not from the beginning.
        expect(byOther[0]?.from).toBe(progressOf(left).pages)
        expect(new Set(byOther.map(({ pid }) => pid)).size).toBe(1)
        await expectOnce(hub, connection_id)
        const all = { pages: PAGES, records: PAGES * SIZE, changed: PAGES * SIZE }
        expect(progressOf(last)).toMatchObject(all)
        const events = await listRunEvents(hub.db, { run_id, after: 0, limit: 1_000 })
        const told = events.filter(({ type }) => type !== 'run.progress')
        expect(told.map(({ type, data }) => [type, data.reason])).toEqual([
          ['run.queued', undefined],
          ['run.started', undefined],
          ['run.retried', 'hub_lost'],
          ['run.succeeded', undefined],
        ])
      }),
    120_000,
  )

  test(
    'when the one that collects is stopped, it gives the run back, and the other goes on',
    () =>
      underTwoHubs(database, async ({ hub, connection_id, working, find }) => {
        expect((await working.end('SIGTERM')).code).toBe(0)
        const last = await succeeds(find)
        // Given back, not lost: it costs no attempt.
        expect([last.attempt, last.fence]).toEqual([1, 2])
        await expectOnce(hub, connection_id)
      }),
    120_000,
  )
})
