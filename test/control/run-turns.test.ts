import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { setConnectionStatus } from '../../src/domains/control/connections/connection-store.ts'
import { runChores } from '../../src/domains/control/runs/run-chores.ts'
import { cancelRun, claimRun } from '../../src/domains/control/runs/run-moves.ts'
import { findRun, lockRun, NO_PROGRESS, type RunRow } from '../../src/domains/control/runs/run-store.ts'
import { runnerOf } from '../../src/domains/control/runs/runner.ts'
import { sql } from '../../src/platform/storage/database.ts'
import {
  addConnection,
  addFinishedRun,
  everythingOf,
  type OwnedHub,
  startOwnedHub,
} from './connection-samples.ts'
import {
  connect,
  installConnector,
  paged,
  type RunSource,
  type SourceAnswer,
  startSource,
} from './run-source.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }

let hub: OwnedHub
let source: RunSource
beforeAll(async () => {
  source = await startSource()
  hub = await startOwnedHub()
  installConnector(hub.home)
})
afterAll(async () => {
  await hub.close()
  await source[Symbol.asyncDispose]()
})
afterEach(() => void (source.answer = () => 'end'))

const rowOf = async (run_id: string) => (await findRun(hub.hub.db, run_id)) as RunRow
const within: typeof hub.hub.db.transaction = (work) => hub.hub.db.transaction(work)
const update = (columns: string, ...values: string[]) =>
  within((tx) => tx.run(sql(`UPDATE collection_runs SET ${columns} WHERE run_id = ?`), ...values))

async function start(connection_id: string): Promise<string> {
  return (await hub.ask('POST', `/v1/owner/connections/${connection_id}/run`)).body.run_id as string
}
async function reaches(run_id: string, state: string): Promise<RunRow> {
  return vi.waitFor(async () => {
    const row = await rowOf(run_id)
    expect(row.state).toBe(state)
    return row
  }, PATIENCE)
}

/** A run whose source was asked, and answers only when it is told what. */
async function asking(): Promise<{ run_id: string; answer: (what: SourceAnswer) => void }> {
  const { promise, resolve: answer } = Promise.withResolvers<SourceAnswer>()
  const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>()
  source.answer = () => {
    noteAsked()
    return promise
  }
  const run_id = await start(await connect(hub.hub, source.url))
  await asked
  return { run_id, answer }
}

test('a run that comes to an end of its own while it is being cancelled is cancelled, by its own hub', async () => {
  const ends: SourceAnswer[] = ['end', { fault: 'rate_limited' }, { fault: 'needs_attention' }]
  for (const end of ends) {
    const { run_id, answer } = await asking()
    // Asked for behind the hub's back: it hears of it when it writes the end.
    await within(async (tx) => cancelRun(tx, hub.hub, (await lockRun(tx, run_id)) as RunRow))
    answer(end)
    const row = await reaches(run_id, 'cancelled')
    expect([end, row.cancel_reason, row.fault_code]).toEqual([end, 'owner_cancelled', null])
  }
})

test('a hub keeps its lease for as long as the source takes', async () => {
  const { run_id, answer } = await asking()
  const { lease_until: first } = await rowOf(run_id)
  await vi.waitFor(async () => {
    const { lease_until, fence } = await rowOf(run_id)
    expect([fence, (lease_until as string) > (first as string)]).toEqual([1, true])
  }, PATIENCE)
  answer('end')
  await reaches(run_id, 'succeeded')
})

test('a hub whose run another has taken lets go of it, though its source has not answered', async () => {
  const { run_id, answer } = await asking()
  await update('lease_until = ?', new Date(0).toISOString(), run_id)
  const taken = await within((tx) => claimRun(tx, hub.hub, run_id, 'another hub'))
  expect(taken).toMatchObject({ owner: 'another hub', fence: 2 })
  const lease_until = new Date(Date.now() + 600_000).toISOString()
  await update('lease_until = ?', lease_until, run_id)
  await vi.waitFor(() => expect(runnerOf(hub.hub).settled({ run_id })).toBeUndefined(), PATIENCE)
  expect(await rowOf(run_id)).toEqual({ ...taken, lease_until })
  answer('end')
})

test('a run that is tried again goes on counting where it was', async () => {
  const some = paged(4, 5)
  let faults = 0
  source.answer = (asked) =>
    Number(asked.from ?? 0) === 2 && faults++ === 0
      ? { fault: 'rate_limited', retry_after_seconds: 1 }
      : some(asked)
  const run_id = await start(await connect(hub.hub, source.url))
  const row = await reaches(run_id, 'succeeded')
  expect([faults > 1, row.attempt, row.fault_code]).toEqual([true, 2, null])
  expect(JSON.parse(row.progress_json)).toMatchObject({ pages: 4, records: 20, changed: 20, total: 20 })
})

/** A run that waits for a moment that is far away, so that it can be changed before its turn. */
async function waitingRun(): Promise<{ connection_id: string; run_id: string }> {
  source.answer = () => ({ fault: 'rate_limited', retry_after_seconds: 3_000 })
  const connection_id = await connect(hub.hub, source.url)
  const run_id = await start(connection_id)
  await vi.waitFor(async () => expect((await rowOf(run_id)).fault_code).toBe('rate_limited'), PATIENCE)
  return { connection_id, run_id }
}

test('one run reads five million records, and not one more', async () => {
  source.answer = paged(1, 10)
  for (const [before, state] of [
    [4_999_990, 'succeeded'],
    [4_999_991, 'failed'],
  ] as const) {
    const { connection_id, run_id } = await waitingRun()
    source.answer = paged(1, 10)
    const progress = JSON.stringify({ ...NO_PROGRESS, records: before })
    await update('progress_json = ?, run_at = ?', progress, new Date().toISOString(), run_id)
    const row = await reaches(run_id, state)
    expect(row.fault_code).toBe(state === 'failed' ? 'too_large' : null)
    expect((await everythingOf(hub, connection_id)).records).toHaveLength(state === 'failed' ? 0 : 10)
  }
})

test('a run whose connection was revoked before its turn asks its source nothing', async () => {
  const { connection_id, run_id } = await waitingRun()
  source.answer = paged(1, 10)
  await within((tx) => setConnectionStatus(tx, connection_id, 'revoked', new Date()))
  const askedFor = () => source.asked.filter((asked) => asked.connection_id === connection_id).length
  const before = askedFor()
  await update('run_at = ?', new Date().toISOString(), run_id)
  expect(await reaches(run_id, 'cancelled')).toMatchObject({ cancel_reason: 'connection_revoked' })
  expect(askedFor()).toBe(before)
})

const DEAF = `export const collector = {
  async probe() { return {} },
  async *collect(source) {
    await fetch(source.settings.url + '?connection_id=' + source.connection_id)
    await new Promise(() => {})
  },
}`

test('a collector that does not listen is left behind when its run is cancelled', async () => {
  installConnector(hub.home, 'deaf', DEAF)
  const connection_id = await connect(hub.hub, source.url, 'deaf')
  const run_id = await start(connection_id)
  await vi.waitFor(() => expect(source.asked.at(-1)?.connection_id).toBe(connection_id), PATIENCE)
  expect((await hub.askAsOwner('POST', `/_ref/runs/${run_id}/cancel`)).status).toBe(200)
  expect(await reaches(run_id, 'cancelled')).toMatchObject({ cancel_reason: 'owner_cancelled' })
})

const TIDY = `export const collector = {
  async probe() { return {} },
  async *collect(source) {
    const ask = (name) => fetch(source.settings.url + '?connection_id=' + name)
    try {
      await ask(source.connection_id)
      yield { stream: 'items', upserts: [{ key: 'k', data: {} }], checkpoint: 1, bytes: 1 }
    } finally {
      await ask('tidied up')
    }
  },
}`

test('a collector whose page is not kept may tidy up after itself', async () => {
  installConnector(hub.home, 'tidy', TIDY)
  const connection_id = await connect(hub.hub, source.url, 'tidy')
  source.answer = async (asked) => {
    if (asked.connection_id === connection_id)
      await within((tx) => setConnectionStatus(tx, connection_id, 'revoked', new Date()))
    return 'end' as const
  }
  const run_id = await start(connection_id)
  expect(await reaches(run_id, 'cancelled')).toMatchObject({ cancel_reason: 'connection_revoked' })
  expect((await everythingOf(hub, connection_id)).records).toEqual([])
  const names = () => source.asked.map((asked) => asked.connection_id)
  await vi.waitFor(() => expect(names()).toContain('tidied up'), PATIENCE)
})

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test('the history of runs is kept for ninety days, and what lives for as long as it does', async () => {
  const connection_id = await addConnection(hub)
  const run = (state: string, at: string) => addFinishedRun(hub, connection_id, { state, at })
  const kept = [await run('succeeded', daysAgo(89)), await run('running', daysAgo(91))]
  const gone = [
    await run('succeeded', daysAgo(91)),
    await run('failed', daysAgo(91)),
    await run('cancelled', daysAgo(91)),
  ]
  await runChores.find(({ name }) => name === 'purge old runs')?.run(hub.hub)
  const { collection_runs, collection_run_events } = await everythingOf(hub, connection_id)
  const left = JSON.stringify([collection_runs, collection_run_events])
  for (const run_id of kept) expect(left.split(run_id)).toHaveLength(3)
  for (const run_id of gone) expect(left).not.toContain(run_id)
})
