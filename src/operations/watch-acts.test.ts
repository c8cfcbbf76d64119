import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { realSystem } from '../platform/basics/system.ts'
import type { Caller } from '../platform/identity/caller.ts'
import { insertLock } from '../platform/locks/lock-store.ts'
import { openLocks } from '../platform/locks/open-locks.ts'
import { type Database, StorageUnavailable } from '../platform/storage/database.ts'
import { migrate } from '../platform/storage/migrate.ts'
import { migrations } from '../platform/storage/schema.ts'
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts'
import type { Call } from './call.ts'
import { performWatched, watchActs } from './watch-acts.ts'

const LOOK_EVERY_MS = 500
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** The locks of a database that fails, or does not answer, as long as a test wants. */
async function lockedStore() {
  const db = openSqlite(':memory:')
  onTestFinished(() => db.close())
  await migrate(db, migrations, new Date())
  const store = { db, asked: 0, state: 'well' as 'well' | 'fails' | 'hangs' }
  const reading: Database['get'] = async (asked, ...values) => {
    store.asked++
    if (store.state === 'fails') throw new StorageUnavailable('gone')
    if (store.state === 'hangs') return new Promise<never>(() => {})
    return db.get(asked, ...values)
  }
  const asking: Database = { ...db, get: reading }
  const locks = openLocks(asking)
  return Object.assign(store, { locks, acts: watchActs({ locks }) })
}

async function lockAgent(db: Database, id: string): Promise<void> {
  const lock = {
    kind: 'agent',
    id,
    reason: null,
    locked_at: new Date().toISOString(),
    locked_by: 'test',
  } as const
  await db.transaction((tx) => insertLock(tx, realSystem, lock))
}

function callOf(id: string, more: Partial<Call> = {}): Call {
  const caller = { kind: 'token', id, role: 'admin', vaults: '*', client: 'test' } as Caller
  const operation = { whileLocked: false, authority: { kind: 'member' } } as unknown as Call['operation']
  return { operation, caller, surface: 'rest', address: 'test', vault: undefined, input: {}, ...more } as Call
}

/** An act that ends when the test says so. */
function openAct(hub: Awaited<ReturnType<typeof lockedStore>>, call: Call) {
  const end = Promise.withResolvers<string>()
  let signal: AbortSignal | undefined
  const done = performWatched(hub, call, (given) => {
    signal = given
    return end.promise
  }).catch((error: unknown) => error)
  return { end, done, isStopped: () => signal?.aborted === true }
}

/** Lets so many looks happen, each with its answer. */
async function look(times = 1): Promise<void> {
  for (let at = 0; at < times; at++) {
    vi.advanceTimersByTime(LOOK_EVERY_MS)
    for (let turn = 0; turn < 5; turn++) await new Promise((go) => setImmediate(go))
  }
}

test('a store that fails while an act runs ends nothing, and a lock counts when it is back', async () => {
  const store = await lockedStore()
  const act = openAct(store, callOf('tok_a'))
  store.state = 'fails'
  await look(3)
  expect([act.isStopped(), store.asked]).toEqual([false, 3])
  await lockAgent(store.db, 'tok_a')
  await look()
  expect(act.isStopped()).toBe(false)
  store.state = 'well'
  await look()
  expect(act.isStopped()).toBe(true)
  act.end.reject(new Error('stopped'))
  expect(await act.done).toMatchObject({ code: 'LOCKED' })
})

test('an act that fails while the store fails says why it failed itself', async () => {
  const store = await lockedStore()
  const act = openAct(store, callOf('tok_a'))
  store.state = 'fails'
  await look(2)
  const own = new Error('its own')
  act.end.reject(own)
  expect(await act.done).toBe(own)
})

test('a store that does not answer is asked once, however long it takes', async () => {
  const store = await lockedStore()
  const act = openAct(store, callOf('tok_a'))
  store.state = 'hangs'
  await look(20)
  expect([store.asked, act.isStopped()]).toEqual([1, false])
  act.end.resolve('done')
  expect(await act.done).toBe('done')
})

test('a lock stops the acts of its agent alone', async () => {
  const store = await lockedStore()
  const [locked, free] = [openAct(store, callOf('tok_a')), openAct(store, callOf('tok_b'))]
  await lockAgent(store.db, 'tok_a')
  await look()
  expect([locked.isStopped(), free.isStopped()]).toEqual([true, false])
  for (const { end } of [locked, free]) end.reject(new Error('over'))
  expect([await locked.done, await free.done]).toMatchObject([{ code: 'LOCKED' }, { message: 'over' }])
})

test('a credential that ends stops its acts alone; one that cannot be looked up ends nothing', async () => {
  const store = await lockedStore()
  const ended = openAct(store, callOf('tok_a', { stillCounts: async () => false }))
  const counts = openAct(store, callOf('tok_b', { stillCounts: async () => true }))
  const unknown = openAct(store, callOf('tok_c', { stillCounts: () => Promise.reject(new Error('gone')) }))
  await look()
  const acts = [ended, counts, unknown]
  expect(acts.map((act) => act.isStopped())).toEqual([true, false, false])
  for (const { end } of acts) end.reject(new Error('over'))
  const told = await Promise.all(acts.map(({ done }) => done))
  expect(told).toMatchObject([{ code: 'UNAUTHENTICATED' }, { message: 'over' }, { message: 'over' }])
})

test('looking ends with the last act, and begins again with the next', async () => {
  const store = await lockedStore()
  for (const _ of [1, 2]) {
    const act = openAct(store, callOf('tok_a'))
    expect(vi.getTimerCount()).toBe(1)
    act.end.resolve('done')
    expect(await act.done).toBe('done')
    await look()
    expect(vi.getTimerCount()).toBe(0)
  }
})

test('an act goes on under a lock only for the owner, where the operation may', async () => {
  const store = await lockedStore()
  await lockAgent(store.db, 'local')
  await lockAgent(store.db, 'tok_a')
  const operation = { whileLocked: true, authority: { kind: 'member' } } as unknown as Call['operation']
  const visitors = { whileLocked: true, authority: { kind: 'visitor' } } as unknown as Call['operation']
  const owner = { kind: 'local', id: 'local', role: 'admin', vaults: '*', client: 'test' } as Caller
  const acts = [
    openAct(store, callOf('local', { caller: owner })),
    openAct(store, callOf('local', { caller: owner, operation })),
    openAct(store, callOf('tok_a', { operation })),
    openAct(store, callOf('tok_a', { operation: visitors })),
  ]
  await look()
  expect(acts.map((act) => act.isStopped())).toEqual([true, false, true, false])
  for (const { end } of acts) end.resolve('done')
  await Promise.all(acts.map(({ done }) => done))
})

test('what the caller gives up is given up, and nothing is left on its signal', async () => {
  const store = await lockedStore()
  const caller = new AbortController()
  const act = openAct(store, callOf('tok_a', { signal: caller.signal }))
  caller.abort()
  expect(act.isStopped()).toBe(true)
  act.end.resolve('done')
  await act.done
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  const late = openAct(store, callOf('tok_a', { signal: caller.signal }))
  expect(late.isStopped()).toBe(true)
  late.end.resolve('done')
  await late.done
})
