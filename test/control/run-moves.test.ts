import { afterAll, beforeAll, expect, test } from 'vitest'
import { listRunEvents } from '../../src/domains/control/runs/run-events.ts'
import {
  cancelRun,
  claimRun,
  confirmCancelled,
  endSucceeded,
  RunLost,
  releaseRun,
  retryLater,
} from '../../src/domains/control/runs/run-moves.ts'
import { findRun, lockRun, type RunRow, startRun } from '../../src/domains/control/runs/run-store.ts'
import { runWork } from '../../src/domains/control/runs/run-work.ts'
import { workOnRun } from '../../src/domains/control/runs/work-on-run.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { LEASE_MS } from '../../src/platform/work/lease-clock.ts'
import { WorkStopped } from '../../src/platform/work/work-kind.ts'
import { type Clock, makeTestHome, type TestHome } from '../harness/test-hub.ts'
import { connect, installConnector } from './run-source.ts'

const FAULT = { code: 'unreachable', text: 'away' }
const NOBODYS = { owner: null, lease_until: null }

let home: TestHome
let hub: Hub
const clock: Clock = { now: new Date('2026-11-01T00:00:00.000Z') }
beforeAll(async () => {
  home = await makeTestHome({ clock })
  hub = await openHub(home.options)
})
afterAll(async () => {
  await hub.close()
  await home[Symbol.asyncDispose]()
})

const within = <Result>(work: Parameters<typeof hub.db.transaction<Result>>[0]) => hub.db.transaction(work)
const now = () => (clock.now as Date).toISOString()
const setTime = (iso: string, more_ms = 0) => void (clock.now = new Date(Date.parse(iso) + more_ms))
const pass = (ms: number) => setTime(now(), ms)

async function start(): Promise<string> {
  const connection_id = await connect(hub, 'http://127.0.0.1:9')
  const wanted = { connection_id, cause: 'owner', requested_by: 'test' } as const
  return ((await within((tx) => startRun(tx, hub, wanted))) as { run_id: string }).run_id
}
const claim = (run_id: string, owner = 'hub_0') => within((tx) => claimRun(tx, hub, run_id, owner))
const mustClaim = async (run_id: string, owner?: string) => (await claim(run_id, owner)) as RunRow
const cancel = (run_id: string) =>
  within(async (tx) => cancelRun(tx, hub, (await lockRun(tx, run_id)) as RunRow))
const rowOf = async (run_id: string) => (await findRun(hub.db, run_id)) as RunRow
const eventsOf = async (run_id: string) =>
  (await listRunEvents(hub.db, { run_id, after: 0, limit: 100 })).map(({ type, data }) => [type, data])
const typesOf = async (run_id: string) => (await eventsOf(run_id)).map(([type]) => type)

test('a run waits for its time, is tried five times in all, and then has failed', async () => {
  const run_id = await start()
  const began = now()
  for (let attempt = 1; attempt <= 5; attempt++) {
    const row = await mustClaim(run_id)
    expect(row).toMatchObject({ state: 'running', attempt, fence: attempt, started_at: began })
    const later = new Date(Date.parse(now()) + 5_000).toISOString()
    const put = await within((tx) => retryLater(tx, hub, row, FAULT, later))
    expect(await rowOf(run_id)).toEqual(put)
    if (attempt === 5) break
    expect(put).toMatchObject({ state: 'queued', run_at: later, fault_code: 'unreachable', ...NOBODYS })
    setTime(later, -1)
    expect(await claim(run_id)).toBeUndefined()
    setTime(later)
  }
  const failed = { state: 'failed', attempt: 5, live_key: null, ended_at: now(), ...NOBODYS }
  expect(await rowOf(run_id)).toMatchObject({ ...failed, fault_code: 'unreachable', fault_text: 'away' })
  expect((await eventsOf(run_id)).at(-1)).toEqual(['run.failed', { fault: FAULT }])
  expect(await claim(run_id)).toBeUndefined()
})

test('a run whose hub is silent goes to the next one after its lease, and not in its last moment', async () => {
  const run_id = await start()
  for (let attempt = 1; attempt <= 5; attempt++) {
    const row = await mustClaim(run_id, `hub_${attempt}`)
    expect(row).toMatchObject({ state: 'running', attempt, fence: attempt, owner: `hub_${attempt}` })
    const lease_until = row.lease_until as string
    expect(Date.parse(lease_until) - Date.parse(now())).toBe(LEASE_MS)
    setTime(lease_until)
    expect(await claim(run_id, 'hub_x')).toBeUndefined()
    pass(1)
  }
  expect(await claim(run_id, 'hub_6')).toBeUndefined()
  expect(await rowOf(run_id)).toMatchObject({ state: 'failed', fault_code: 'interrupted', ...NOBODYS })
  expect(await typesOf(run_id)).toEqual([
    'run.queued',
    'run.started',
    ...Array<string>(4).fill('run.retried'),
    'run.failed',
  ])
})

test('a run that its hub gives back has lost no attempt, and may go on at once', async () => {
  const run_id = await start()
  const began = now()
  const row = await mustClaim(run_id)
  pass(1_000)
  const given = await within((tx) => releaseRun(tx, hub, row, 'hub_stopped'))
  expect(given).toMatchObject({ state: 'queued', attempt: 0, fence: 1, run_at: now(), ...NOBODYS })
  await expect(within((tx) => releaseRun(tx, hub, row, 'hub_stopped'))).rejects.toBeInstanceOf(RunLost)
  expect(await mustClaim(run_id, 'hub_1')).toMatchObject({ attempt: 1, fence: 2, started_at: began })
  expect((await eventsOf(run_id)).at(-2)).toEqual(['run.retried', { attempt: 1, reason: 'hub_stopped' }])
})

test('a run that is claimed while its hub stops is given back before its source is asked', async () => {
  installConnector(home.home)
  const run_id = await start()
  const claimed = await mustClaim(run_id)
  const signal = AbortSignal.abort(new WorkStopped('closing'))
  await workOnRun(hub, { claim: claimed, signal, left_ms: () => 1, renew: async () => true })
  expect(await rowOf(run_id)).toMatchObject({ state: 'queued', attempt: 0, fault_code: null, ...NOBODYS })
})

test('a run that succeeds after a fault tells of none', async () => {
  const run_id = await start()
  const first = await mustClaim(run_id)
  await within((tx) => retryLater(tx, hub, first, FAULT, now()))
  const row = await mustClaim(run_id)
  await within((tx) => endSucceeded(tx, hub, row))
  const ended = { state: 'succeeded', ended_at: now(), live_key: null, ...NOBODYS }
  expect(await rowOf(run_id)).toMatchObject({ ...ended, fault_code: null, fault_text: null })
})

test('a hub renews the leases of its own runs alone', async () => {
  const [mine, other, queued] = [await start(), await start(), await start()]
  await mustClaim(mine, 'hub_mine')
  const before = await mustClaim(other, 'hub_other')
  pass(5_000)
  const until = new Date((clock.now as Date).getTime() + LEASE_MS).toISOString()
  await within((tx) => runWork.renewAll(tx, 'hub_mine', until))
  expect(Date.parse((await rowOf(mine)).lease_until as string)).toBe(
    Date.parse(before.lease_until as string) + 5_000,
  )
  expect([(await rowOf(other)).lease_until, (await rowOf(queued)).lease_until]).toEqual([
    before.lease_until,
    null,
  ])
})

test('cancelling asks who works on a run, once, and ends what nobody works on', async () => {
  const waiting = await start()
  expect(await cancel(waiting)).toMatchObject({ state: 'cancelled', cancel_reason: 'owner_cancelled' })
  const run_id = await start()
  const row = await mustClaim(run_id)
  const asked = await cancel(run_id)
  expect(asked).toMatchObject({ state: 'cancelling', cancel_reason: 'owner_cancelled', ended_at: null })
  expect(await cancel(run_id)).toEqual(asked)
  // Who held it before another did has nothing to say about it.
  await within((tx) => confirmCancelled(tx, hub, { ...row, fence: row.fence - 1 }))
  expect((await rowOf(run_id)).state).toBe('cancelling')
  await within((tx) => confirmCancelled(tx, hub, row))
  expect(await rowOf(run_id)).toMatchObject({
    state: 'cancelled',
    cancel_reason: 'owner_cancelled',
    ...NOBODYS,
  })
  expect(await typesOf(run_id)).toEqual(['run.queued', 'run.started', 'run.cancelling', 'run.cancelled'])
  const silent = await start()
  const { lease_until } = await mustClaim(silent)
  await cancel(silent)
  setTime(lease_until as string)
  expect((await cancel(silent)).state).toBe('cancelling')
  pass(1)
  expect(await cancel(silent)).toMatchObject({ state: 'cancelled', cancel_reason: 'owner_cancel_forced' })
})
