import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from '../../src/domains/control/connectors/connector.ts'
import { findCheckpoint } from '../../src/domains/control/records/record-store.ts'
import {
  cancelRun,
  claimRun,
  confirmCancelled,
  endFailed,
  endSucceeded,
  type RunClaim,
  RunLost,
  releaseRun,
  requireRunning,
  retryLater,
} from '../../src/domains/control/runs/run-moves.ts'
import { keepPage } from '../../src/domains/control/runs/run-page.ts'
import { isEnded } from '../../src/domains/control/runs/run-state.ts'
import {
  findLiveRun,
  hasActiveRun,
  lockRun,
  NO_PROGRESS,
  type Progress,
  type RunRow,
  startRun,
} from '../../src/domains/control/runs/run-store.ts'
import { runWork } from '../../src/domains/control/runs/run-work.ts'
import { fireSchedules } from '../../src/domains/control/schedules/fire-schedules.ts'
import {
  enableSchedule,
  findSchedule,
  putSchedule,
  type ScheduleRow,
} from '../../src/domains/control/schedules/schedule-store.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { LEASE_MS } from '../../src/platform/work/lease-clock.ts'
import { type Clock, makeTestHome, type TestHome } from '../harness/test-hub.ts'
import { connect } from './run-source.ts'

const FAULT = { code: 'unreachable', text: 'away' }
const CONNECTIONS = 2
const HUBS = 2

let home: TestHome
let hub: Hub
const clock: Clock = {}
beforeAll(async () => {
  home = await makeTestHome({ clock })
  clock.now = new Date('2026-11-01T00:00:00.000Z')
  hub = await openHub(home.options)
})
afterAll(async () => {
  await hub.close()
  await home[Symbol.asyncDispose]()
})

/** Each as often as it takes to get deep into the life of a run. */
const WEIGHTS = {
  start: 3,
  claim: 5,
  page: 4,
  succeed: 1,
  fail: 1,
  retry: 1,
  release: 1,
  crash: 1,
  stale: 1,
  cancel: 2,
  confirm: 1,
  renew: 1,
  wait: 1,
  wait_long: 2,
  pause: 1,
  resume: 1,
  fire: 1,
}
type Act = keyof typeof WEIGHTS
const ACTS = Object.entries(WEIGHTS).flatMap(([act, weight]) =>
  Array.from({ length: weight }, () => act as Act),
)

const step = fc.record({
  act: fc.constantFrom(...ACTS),
  connection: fc.nat(CONNECTIONS - 1),
  worker: fc.nat(HUBS - 1),
  records: fc.nat(4),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A run that succeeds, one that fails and one that is cancelled: no chance decides whether they are seen. */
const everyEnd = (['start claim page succeed', 'start claim fail', 'start cancel'] as const)
  .flatMap((acts) => acts.split(' ') as Act[])
  .map((act): Step => ({ act, connection: 0, worker: 0, records: 2 }))

interface Held {
  claim: RunClaim
  progress: Progress
}

/** What the test knows of one connection without asking the store. */
interface Known {
  connection_id: string
  /** By worker: what it believes to hold. */
  held: (Held | undefined)[]
  /** Every claim there ever was: taken over, ended, forgotten in a crash, or still good. */
  claims: Held[]
  /** Keys that pages brought in, by the last place that brought them. */
  records: Map<string, number>
  place: number
}

const allRuns = sql<RunRow>('SELECT * FROM collection_runs WHERE connection_id = ? ORDER BY run_id')
const allRecords = sql<{ record_key: string; seq: number; data_json: string }>(
  'SELECT record_key, seq, data_json FROM records WHERE connection_id = ? ORDER BY seq',
)
const streamOf = sql<{ record_count: number }>(
  'SELECT record_count FROM record_streams WHERE connection_id = ?',
)

const within = <Result>(work: Parameters<typeof hub.db.transaction<Result>>[0]) => hub.db.transaction(work)

/** A page whose records are partly new, partly there already: as a source gives them after a crash. */
function pageFrom(place: number, records: number): Page {
  const upserts = Array.from({ length: records }, (_, at) => ({
    key: `k${place + at - (at % 2)}`,
    data: { of: place - (place % 3) },
  }))
  return { stream: 'items', upserts, checkpoint: place + records, bytes: 1 }
}

async function refused(work: () => Promise<unknown>): Promise<void> {
  await expect(work()).rejects.toBeInstanceOf(RunLost)
}

const keep = (held: Held, page: Page) =>
  within((tx) =>
    keepPage(tx, hub, held.claim, { page, before: held.progress, started_at: null, isTold: false }),
  )

/** One step, with what must come of it. */
async function take(known: Known, { act, worker, records }: Step): Promise<void> {
  const { connection_id } = known
  const live = await findLiveRun(hub.db, connection_id)
  const held = known.held[worker]
  const isOwn = held !== undefined && live?.run_id === held.claim.run_id && live.fence === held.claim.fence
  const isWriting = isOwn && live?.state === 'running'
  const end = async (work: () => Promise<unknown>) => {
    if (isWriting) await work()
    else await refused(work)
    known.held[worker] = undefined
  }
  if (act === 'start') {
    const wanted = { connection_id, cause: 'owner', requested_by: 'test' } as const
    const started = await within((tx) => startRun(tx, hub, wanted))
    expect(typeof started === 'object').toBe(live === undefined)
  } else if (act === 'claim') {
    if (live) await claim(known, live, worker)
  } else if (act === 'page' && held) {
    const page = pageFrom(known.place, records)
    if (!isWriting) return refused(() => keep(held, page))
    held.progress = await keep(held, page)
    known.place += records
    for (const { key, data } of page.upserts) known.records.set(key, data.of as number)
  } else if (act === 'stale') {
    const isGood = (one: Held) =>
      live?.state === 'running' && live.run_id === one.claim.run_id && live.fence === one.claim.fence
    for (const one of known.claims.filter((every) => !isGood(every)))
      await refused(() => keep(one, pageFrom(9_000, 3)))
  } else if (act === 'succeed' && held) {
    await end(() => within((tx) => endSucceeded(tx, hub, held.claim)))
  } else if (act === 'fail' && held) {
    await end(() => within(async (tx) => endFailed(tx, hub, await requireRunning(tx, held.claim), FAULT)))
  } else if (act === 'retry' && held) {
    const later = new Date((clock.now as Date).getTime() + 5_000).toISOString()
    await end(() => within((tx) => retryLater(tx, hub, held.claim, FAULT, later)))
  } else if (act === 'release' && held) {
    await end(() => within((tx) => releaseRun(tx, hub, held.claim, 'hub_stopped')))
  } else if (act === 'crash' && held) {
    known.held[worker] = undefined
  } else if (act === 'cancel' && live) {
    const row = await within(async (tx) => cancelRun(tx, hub, (await lockRun(tx, live.run_id)) as RunRow))
    expect(['cancelling', 'cancelled']).toContain(row.state)
    if (live.state === 'queued') expect(row.state).toBe('cancelled')
  } else if (act === 'confirm' && held) {
    await within((tx) => confirmCancelled(tx, hub, held.claim))
    if (live?.state === 'cancelling' && isOwn) known.held[worker] = undefined
  } else if (act === 'renew' && held) {
    const until = new Date((clock.now as Date).getTime() + LEASE_MS).toISOString()
    await within((tx) => runWork.renewAll(tx, `hub_${worker}`, until))
  } else if (act === 'wait' || act === 'wait_long') {
    clock.now = new Date((clock.now as Date).getTime() + (act === 'wait' ? 2_000 : 12_000))
  } else if (act === 'pause' || act === 'resume') {
    await within(async (tx) => {
      const schedule = (await findSchedule(tx, connection_id)) as ScheduleRow
      await enableSchedule(tx, schedule, act === 'resume', clock.now as Date)
    })
  } else if (act === 'fire') {
    const schedule = (await findSchedule(hub.db, connection_id)) as ScheduleRow
    await fireSchedules(hub)
    if (schedule.enabled === 0) expect((await findLiveRun(hub.db, connection_id))?.run_id).toBe(live?.run_id)
  }
}

async function claim(known: Known, live: RunRow, worker: number): Promise<void> {
  const now = (clock.now as Date).toISOString()
  const isDue = live.state === 'queued' && live.run_at <= now
  const isAbandoned = live.state !== 'queued' && live.lease_until !== null && live.lease_until < now
  const row = await within((tx) => claimRun(tx, hub, live.run_id, `hub_${worker}`))
  const isGivenUp = live.state === 'running' && live.attempt >= live.max_attempts
  const isTaken = isDue || (isAbandoned && live.state === 'running' && !isGivenUp)
  expect(row !== undefined).toBe(isTaken)
  if (!row) return
  expect(row.fence).toBe(live.fence + 1)
  const { run_id, connection_id, fence } = row
  const held = { claim: { run_id, connection_id, fence }, progress: NO_PROGRESS }
  // Whoever held it before may not know yet, and goes on trying.
  known.held[worker] = held
  known.claims.push(held)
}

/** What must be so after every step, whatever it was. */
async function check(known: Known, ended: Map<string, string>): Promise<void> {
  const { connection_id } = known
  const runs = await hub.db.all(allRuns, connection_id)
  const live = runs.filter(({ live_key }) => live_key !== null)
  expect(live.length).toBeLessThanOrEqual(1)
  for (const run of runs) {
    expect(isEnded(run.state)).toBe(run.live_key === null)
    const before = ended.get(run.run_id)
    if (before !== undefined) expect(JSON.stringify(run)).toBe(before)
    if (isEnded(run.state)) ended.set(run.run_id, JSON.stringify(run))
  }
  const rows = await hub.db.all(allRecords, connection_id)
  expect(new Set(rows.map(({ seq }) => seq)).size).toBe(rows.length)
  expect(new Map(rows.map((row) => [row.record_key, JSON.parse(row.data_json).of]))).toEqual(known.records)
  expect((await hub.db.get(streamOf, connection_id))?.record_count ?? 0).toBe(known.records.size)
  expect((await findCheckpoint(hub.db, connection_id)) ?? 0).toBe(known.place)
}

test('whatever hubs do to runs in whatever order, each rule of a run holds after every step', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const all: Known[] = []
      for (let at = 0; at < CONNECTIONS; at++) {
        const connection_id = await connect(hub, 'http://127.0.0.1:9')
        const timing = { cron: null, interval_seconds: 60, timezone: 'UTC' }
        await within((tx) => putSchedule(tx, connection_id, timing, clock.now as Date))
        all.push({ connection_id, held: [], claims: [], records: new Map(), place: 0 })
      }
      const ended = new Map<string, string>()
      for (const one of steps) {
        await take(all[one.connection] as Known, one)
        for (const known of all) await check(known, ended)
      }
      for (const text of ended.values()) seen.add((JSON.parse(text) as RunRow).state)
      // Whatever was left under way is put out of the next round's sight.
      for (const { connection_id } of all) await settle(connection_id)
    }),
    { numRuns: 150, examples: [[everyEnd]] },
  )
  expect([...seen].toSorted()).toEqual(['cancelled', 'failed', 'succeeded'])
}, 240_000)

async function settle(connection_id: string): Promise<void> {
  clock.now = new Date((clock.now as Date).getTime() + 60_000)
  await within(async (tx) => {
    const schedule = (await findSchedule(tx, connection_id)) as ScheduleRow
    await enableSchedule(tx, schedule, false, clock.now as Date)
  })
  const live = await findLiveRun(hub.db, connection_id)
  if (live) await within(async (tx) => cancelRun(tx, hub, (await lockRun(tx, live.run_id)) as RunRow))
  expect(await within((tx) => hasActiveRun(tx, connection_id))).toBe(false)
}

test('a run whose hub died while it was being cancelled ends cancelled, and is not collected again', async () => {
  const connection_id = await connect(hub, 'http://127.0.0.1:9')
  const wanted = { connection_id, cause: 'owner', requested_by: 'test' } as const
  const { run_id } = (await within((tx) => startRun(tx, hub, wanted))) as { run_id: string }
  const row = (await within((tx) => claimRun(tx, hub, run_id, 'hub_0'))) as RunRow
  const asked = await within(async (tx) => cancelRun(tx, hub, (await lockRun(tx, run_id)) as RunRow))
  expect(asked.state).toBe('cancelling')
  expect(await within((tx) => claimRun(tx, hub, run_id, 'hub_1'))).toBe(undefined)
  clock.now = new Date((clock.now as Date).getTime() + 12_000)
  expect(await within((tx) => claimRun(tx, hub, run_id, 'hub_1'))).toBe(undefined)
  const ended = (await hub.db.all(allRuns, connection_id))[0]
  expect(ended).toMatchObject({ state: 'cancelled', cancel_reason: 'owner_cancel_forced', attempt: 1 })
  await refused(() => keep({ claim: row, progress: NO_PROGRESS }, pageFrom(0, 1)))
  expect(await within((tx) => claimRun(tx, hub, run_id, 'hub_1'))).toBe(undefined)
})
