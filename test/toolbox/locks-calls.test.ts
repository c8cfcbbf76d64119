import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lockAdd } from '../../src/domains/toolbox/watch/lock-add.ts'
import { lockList } from '../../src/domains/toolbox/watch/lock-list.ts'
import { lockRelease } from '../../src/domains/toolbox/watch/lock-release.ts'
import { type Lock, UNREADABLE_LOCK } from '../../src/platform/locks/lock.ts'
import { insertLock, LOCK_LIMIT } from '../../src/platform/locks/lock-store.ts'
import { lockTable } from '../../src/platform/locks/lock-table.ts'
import { openLocks } from '../../src/platform/locks/open-locks.ts'
import { type Database, StorageUnavailable, sql } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { ask, watchedHome } from './watch-hub.fixture.ts'

const SHOP = '/srv/store/services/shop'

function lockOf(kind: Lock['kind'], id: string): Lock {
  return { kind, id, reason: null, locked_at: '2026-11-01T12:00:00.000Z', locked_by: 'test' }
}

describe('a table of locks', () => {
  test.each<[string, Lock[], string[], string | undefined, string | undefined]>([
    ['nothing', [], ['ag'], SHOP, undefined],
    ['everything', [lockOf('all', '*')], [], undefined, 'all'],
    ['an agent', [lockOf('agent', 'ag')], ['tok_1', 'ag'], undefined, 'agent'],
    ['another agent', [lockOf('agent', 'ag')], ['ag2', 'AG'], SHOP, undefined],
    ['a service', [lockOf('service', SHOP)], ['ag'], SHOP, 'service'],
    ['a folder above the service', [lockOf('service', '/srv/store')], ['ag'], SHOP, 'service'],
    ['the root of all', [lockOf('service', '/')], ['ag'], SHOP, 'service'],
    ['the end of its path', [lockOf('service', 'services/shop')], ['ag'], SHOP, 'service'],
    ['a sibling with a longer name', [lockOf('service', `${SHOP}-2`)], ['ag'], SHOP, undefined],
    ['a sibling with a shorter name', [lockOf('service', SHOP)], ['ag'], `${SHOP}-2`, undefined],
    ['half a name', [lockOf('service', 'hop')], ['ag'], SHOP, undefined],
    ['a folder below', [lockOf('service', `${SHOP}/src`)], ['ag'], SHOP, undefined],
    ['a call outside any service', [lockOf('service', '/')], ['ag'], undefined, undefined],
    ['an agent named as a service', [lockOf('service', 'ag')], ['ag'], SHOP, undefined],
  ])('with %s locked', (_name, locks, agents, service, found) => {
    expect(lockTable(locks).find(agents, service)?.kind).toBe(found)
  })

  test('stops a service exactly when its folder lies in, or ends with, what is locked', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(path, path, fc.boolean(), (locked, service, isAbsolute) => {
        const id = `${isAbsolute ? '/' : ''}${locked.join('/')}`
        const folder = `/${service.join('/')}`
        const stops = isAbsolute ? `${folder}/`.startsWith(`${id}/`) : folder.endsWith(`/${id}`)
        expect(lockTable([lockOf('service', id)]).find([], folder) !== undefined).toBe(stops)
      }),
    )
  })
})

describe.each(DATABASES)('locks on %s', (database) => {
  test('stop and free an agent, a service and everything, from the very next call', async () => {
    const { open } = await watchedHome({ database })
    const hub = await open()
    const locks = hub.locks
    const isStopped = async () => (await locks.find(['tok_1', 'ag'], SHOP)) !== undefined
    const targets = [
      { kind: 'agent', id: 'ag' },
      { kind: 'agent', id: 'tok_1' },
      { kind: 'service', id: SHOP },
      { kind: 'all' },
    ]
    for (const target of targets) {
      expect(await isStopped()).toBe(false)
      const { lock } = await ask(hub, lockAdd, { ...target, reason: 'a look' })
      expect(lock).toMatchObject({ ...target, reason: 'a look', locked_by: 'local:local' })
      expect(await isStopped()).toBe(true)
      expect((await ask(hub, lockList)).locks).toEqual([lock])
      expect((await ask(hub, lockRelease, target)).lock).toEqual(lock)
    }
    expect(await isStopped()).toBe(false)
    expect(await ask(hub, lockRelease, { kind: 'all' })).toBe('unknown_lock')
  })

  test('count from the next call even while other calls ask in the same turn', async () => {
    const { open } = await watchedHome({ database })
    const hub = await open()
    const locks = hub.locks
    for (let round = 0; round < 20; round++) {
      const adding = ask(hub, lockAdd, { kind: 'agent', id: 'ag' })
      const others = [locks.find('x'), nextTurn().then(() => locks.find('x'))]
      await adding
      expect(await locks.find('ag')).toMatchObject({ kind: 'agent' })
      await ask(hub, lockRelease, { kind: 'agent', id: 'ag' })
      expect(await locks.find('ag')).toBeUndefined()
      await Promise.all(others)
    }
  })

  test('of one process stop calls in another', async () => {
    const { open } = await watchedHome({ database })
    const [one, other] = [await open(), await open()]
    const locks = other.locks
    expect(await locks.find('ag')).toBeUndefined()
    await ask(one, lockAdd, { kind: 'agent', id: 'ag' })
    await nextTurn()
    expect(await locks.find('ag')).toMatchObject({ id: 'ag' })
    await ask(one, lockRelease, { kind: 'agent', id: 'ag' })
    await nextTurn()
    expect(await locks.find('ag')).toBeUndefined()
  })

  test('outlive the process', async () => {
    const { open } = await watchedHome({ database })
    const first = await open()
    await ask(first, lockAdd, { kind: 'all' })
    await first.close()
    expect(await (await open()).locks.find(undefined)).toMatchObject({ kind: 'all' })
  })

  test('follow any order of adding and releasing, as a plain set would', async () => {
    const { open } = await watchedHome({ database })
    const hub = await open()
    const locks = hub.locks
    const ids = ['a', 'b', 'c']
    const step = fc.record({ add: fc.boolean(), id: fc.constantFrom(...ids) })
    const property = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const model = new Set<string>()
      for (const { add, id } of steps) {
        await ask(hub, add ? lockAdd : lockRelease, { kind: 'agent', id })
        if (add) model.add(id)
        else model.delete(id)
        for (const one of ids) expect((await locks.find(one)) !== undefined).toBe(model.has(one))
      }
      for (const id of ids) await ask(hub, lockRelease, { kind: 'agent', id })
    })
    await fc.assert(property, { numRuns: 10 })
  })
})

describe('a lock that cannot be read', () => {
  test('counts as a lock on everything', async () => {
    const { open } = await watchedHome()
    const { db } = await open()
    let isBroken = true
    const failing: Database = {
      ...db,
      get(statement, ...values) {
        if (isBroken) throw new StorageUnavailable('broken')
        return db.get(statement, ...values)
      },
    }
    const locks = openLocks(failing)
    expect(await locks.find('ag')).toBe(UNREADABLE_LOCK)
    await nextTurn()
    isBroken = false
    expect(await locks.find('ag')).toBeUndefined()
  })

  test('counts so when only the list fails, and when the store is closed', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    const failing = { ...hub.db, all: () => Promise.reject(new StorageUnavailable('broken')) }
    expect(await openLocks(failing).find('ag')).toBe(UNREADABLE_LOCK)
    const { db } = hub
    await hub.close()
    expect(await openLocks(db).find('ag')).toBe(UNREADABLE_LOCK)
  })

  test('counts so when the table is gone', async () => {
    const { open } = await watchedHome()
    const { db } = await open()
    await db.transaction((tx) => tx.run(sql('DROP TABLE hub_locks')))
    expect(await openLocks(db).find('ag')).toBe(UNREADABLE_LOCK)
  })

  test('counts so when there are more than there can be', async () => {
    const { open } = await watchedHome()
    const { db } = await open()
    await db.transaction((tx) =>
      tx.runEach(
        sql('INSERT INTO hub_locks (kind, id, reason, locked_at, locked_by) VALUES (?, ?, NULL, ?, ?)'),
        Array.from({ length: LOCK_LIMIT * 2 }, (_, at) => ['agent', `a${at}`, '-', '-']),
      ),
    )
    expect(await openLocks(db).find('none of them')).toBe(UNREADABLE_LOCK)
  })
})

test('each call reads the revision of the locks, and the locks only where it is another one', async () => {
  const { open } = await watchedHome()
  const { db, system } = await open()
  const reads = { get: 0, all: 0 }
  const counted: Database = {
    ...db,
    get: (statement, ...values) => (reads.get++, db.get(statement, ...values)),
    all: (statement, ...values) => (reads.all++, db.all(statement, ...values)),
  }
  const locks = openLocks(counted)
  await locks.find('ag', SHOP)
  await Promise.all(Array.from({ length: 500 }, () => locks.find('ag', SHOP)))
  expect(reads).toEqual({ get: 501, all: 1 })
  await db.transaction((tx) => insertLock(tx, system, lockOf('agent', 'ag')))
  expect((await locks.find('ag', SHOP))?.kind).toBe('agent')
  expect(reads).toEqual({ get: 502, all: 2 })
})

test('a change that is undone leaves the locks as they were', async () => {
  const { open } = await watchedHome()
  const hub = await open()
  const locks = hub.locks
  const work = hub.db.transaction(async (tx) => {
    await insertLock(tx, hub.system, lockOf('agent', 'ag'))
    throw new Error('undone')
  })
  await expect(work).rejects.toThrow('undone')
  expect(await locks.find('ag')).toBeUndefined()
})
