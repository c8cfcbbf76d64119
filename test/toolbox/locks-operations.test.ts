import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auditList } from '../../src/domains/admin/audit-list.ts'
import { doctor } from '../../src/domains/admin/doctor.ts'
import { lockAdd } from '../../src/domains/toolbox/watch/lock-add.ts'
import { lockList } from '../../src/domains/toolbox/watch/lock-list.ts'
import { lockRelease } from '../../src/domains/toolbox/watch/lock-release.ts'
import { LOCK_LIMIT } from '../../src/platform/locks/lock-store.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { ask, watchedHome } from './watch-hub.fixture.ts'

const SHOP = '/srv/store/services/shop'

describe('the operations', () => {
  test.each([
    [{ kind: 'all', id: 'x' }],
    [{ kind: 'agent' }],
    [{ kind: 'service' }],
    [{ kind: 'service', id: '.' }],
    [{ kind: 'service', id: '../x' }],
    [{ kind: 'agent', id: 'a\nb' }],
    [{ kind: 'agent', id: '' }],
    [{ kind: 'vault', id: 'x' }],
  ])('refuse %j', async (input) => {
    const { open } = await watchedHome()
    const hub = await open()
    expect(await ask(hub, lockAdd, input)).toBe('BAD_REQUEST')
    expect(await ask(hub, lockRelease, input)).toBe('BAD_REQUEST')
  })

  test("are the owner's alone and no tools", async () => {
    const { open } = await watchedHome()
    const hub = await open()
    const caller = {
      kind: 'token',
      id: 'tok_1',
      role: 'admin',
      vaults: ['default'],
      client: 'other',
    } as const
    for (const operation of [lockAdd, lockList, lockRelease]) {
      expect(operation.mcp).toBe(false)
      const input = operation === lockList ? {} : { kind: 'agent', id: 'ag' }
      expect(await ask(hub, operation, input, { caller })).toBe('FORBIDDEN')
    }
  })

  test('are audited with what they are about', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    await ask(hub, lockAdd, { kind: 'agent', id: 'ag' })
    await ask(hub, lockAdd, { kind: 'all' })
    await ask(hub, lockRelease, { kind: 'agent', id: 'ag' })
    await ask(hub, lockRelease, { kind: 'agent', id: 'ag' })
    const { records } = await ask(hub, auditList)
    const told = records.map((record: Record<string, string>) =>
      [record.operation, record.target_kind, record.target_id, record.code ?? record.outcome].join(' '),
    )
    expect(told).toEqual([
      'lock_release   unknown_lock',
      'lock_release lock_agent ag allowed',
      'lock_add lock_all * allowed',
      'lock_add lock_agent ag allowed',
    ])
  })

  test('a lock that is there already keeps its time', async () => {
    const { open, clock } = await watchedHome()
    const hub = await open()
    const { lock } = await ask(hub, lockAdd, { kind: 'agent', id: 'ag', reason: 'first' })
    clock.now = new Date('2026-11-02T00:00:00.000Z')
    expect((await ask(hub, lockAdd, { kind: 'agent', id: 'ag' })).lock).toEqual(lock)
    const again = await ask(hub, lockAdd, { kind: 'agent', id: 'ag', reason: 'second' })
    expect(again.lock).toEqual({ ...lock, reason: 'second' })
  })

  test('a service is known by its real folder, however it is spelt', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    for (const spelt of [`${folder}/link/`, `${folder}/./real`, `${folder}//x/../real`]) {
      const { lock } = await ask(hub, lockAdd, { kind: 'service', id: spelt })
      expect(lock.id).toBe(join(folder, 'real'))
    }
    expect((await ask(hub, lockList)).locks).toHaveLength(1)
    expect(await hub.locks.find('ag', join(folder, 'real'))).toMatchObject({ kind: 'service' })
  })

  test('everything can be locked however many locks there are', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    await hub.db.transaction((tx) =>
      tx.runEach(
        sql('INSERT INTO hub_locks (kind, id, reason, locked_at, locked_by) VALUES (?, ?, NULL, ?, ?)'),
        Array.from({ length: LOCK_LIMIT }, (_, at) => ['agent', `a${at}`, '-', '-']),
      ),
    )
    expect(await ask(hub, lockAdd, { kind: 'agent', id: 'one more' })).toBe('too_many_locks')
    expect(await ask(hub, lockAdd, { kind: 'agent', id: 'a5', reason: 'known' })).toHaveProperty('lock')
    expect(await ask(hub, lockAdd, { kind: 'all' })).toHaveProperty('lock')
    expect((await ask(hub, lockList)).truncated).toBe(true)
  })

  test('the doctor says what is locked', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    const finding = async () =>
      (await ask(hub, doctor)).findings.find((one: { subject: string }) => one.subject === 'locks')
    expect(await finding()).toMatchObject({ state: 'off', fix: null })
    await ask(hub, lockAdd, { kind: 'service', id: SHOP })
    expect(await finding()).toMatchObject({ state: 'on', detail: `service ${SHOP}` })
  })
})
