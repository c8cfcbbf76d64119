import { linkSync, lstatSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { breakAbandoned } from '../../src/domains/toolbox/loom/break-lock.ts'
import { keepLockFiles, type LockFiles } from '../../src/domains/toolbox/loom/lock-files.ts'
import { makeLockRecord, renderLockRecord } from '../../src/domains/toolbox/loom/lock-record.ts'
import { lockToolsOf } from '../../src/domains/toolbox/loom/lock-tools.ts'
import type { ToolContext } from '../../src/domains/toolbox/tool-context.ts'
import { chooseCalls } from '../../src/platform/guard/folder-calls.ts'
import type { HeldFolder } from '../../src/platform/guard/guard.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { replace } from './files-scenario.fixture.ts'

beforeAll(() => chooseCalls('kernel'))
afterAll(() => chooseCalls('plain'))

// All that is asked of locks holds for those that are second names of files in the home.
describe('linked locks', () => import('./loom-locks.test.ts').then(() => {}))

describe('files that serve as locks', () => {
  let base: string
  let files: LockFiles

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'lock-files-'))
    files = keepLockFiles(join(base, 'locks'))
  })
  afterEach(() => {
    files.close()
    rmSync(base, { recursive: true })
  })

  const names = () => readdirSync(join(base, 'locks'))
  const take = (service = 'shop', content = 'record') => {
    const file = files.take(service, Buffer.from(content))
    if (!file) throw new Error('no file')
    return file
  }

  test('serve one edit after the other, and are gone when the hub is', async () => {
    const project = await makeFilesProject()
    project.put('main.ts', 'one\n')
    const inodes = new Set<string[]>()
    const home = join(project.base, 'home/locks')
    for (const [from, to] of [
      ['one', 'two'],
      ['two', 'three'],
      ['three', 'four'],
    ] as const) {
      const { code } = await project.call(editFile, { path: 'main.ts', edits: [replace(from, to)] })
      expect(code).toBe('success')
      inodes.add(readdirSync(home))
    }
    expect([...inodes].map((list) => list.length)).toEqual([1, 1, 1])
    expect(new Set([...inodes].flat()).size).toBe(1)
    expect(lstatSync(home).mode & 0o777).toBe(0o700)
    await project.hub.close()
    expect(readdirSync(home)).toEqual([])
    project.guard.close()
    rmSync(project.base, { recursive: true })
  })

  test('become a lock that is complete at once, once for each name, and on the same disk alone', async () => {
    await using project = await makeFilesProject()
    const held = project.guard.holdFolder('main.ts')
    const { path } = take()
    expect(held.linkLock('.lock.main.ts', path)).toBe(true)
    expect(held.linkLock('.lock.main.ts', path)).toBe(false)
    expect(lstatSync(path).nlink).toBe(2)
    expect(held.readLock('.lock.main.ts', 100)?.bytes.toString()).toBe('record')
    expect(() => held.read('.lock.main.ts', 100)).toThrow('hard_link')
    expect([held.linkLock('main.ts', path), held.linkLock('.lock.x', '/proc/version')]).toEqual([
      undefined,
      undefined,
    ])
    linkSync(path, join(project.service_root, 'second'))
    expect(() => held.readLock('second', 100)).toThrow('hard_link')
    chooseCalls('plain')
    expect(held.linkLock('.lock.x', path)).toBeUndefined()
    chooseCalls('kernel')
    held.close()
    expect(project.names()).toEqual(['.lock.main.ts', 'second'])
  })

  test('are not taken for the lock they were before, when they were taken anew', async () => {
    await using project = await makeFilesProject()
    project.put('.lock.main.ts', 'old')
    const lock = join(project.service_root, '.lock.main.ts')
    utimesSync(lock, 1, 1)
    const held = project.guard.holdFolder('main.ts')
    const folder: HeldFolder = {
      ...held,
      rename: (from, to) => (utimesSync(lock, Date.now() / 1000, Date.now() / 1000), held.rename(from, to)),
    }
    const { hub, service_root } = project
    const context = { service_root } as ToolContext
    const tools = lockToolsOf({ hub, context, signal: new AbortController().signal })
    expect(breakAbandoned(folder, '.lock.main.ts', tools)).toBe(false)
    held.close()
    expect([project.names(), project.text('.lock.main.ts')]).toEqual([['.lock.main.ts'], 'old'])
  })

  test('are used by one lock at a time, and again by the same service alone', () => {
    const [one, two] = [take(), take()]
    expect(one.path).not.toBe(two.path)
    files.giveBack(one)
    expect(take('other').path).not.toBe(one.path)
    expect(take('shop', 'a').path).toBe(one.path)
    expect(lstatSync(one.path)).toMatchObject({ size: 1, nlink: 1 })
  })

  test('are let go once somebody else has a name for them or wrote in them', () => {
    const [one, two] = [take(), take()]
    linkSync(one.path, join(base, 'second'))
    writeFileSync(two.path, 'longer than it was')
    files.giveBack(one)
    files.giveBack(two)
    expect(names()).toEqual([])
    expect([one.path, two.path]).not.toContain(take().path)
  })

  test('of a process that is gone are removed by the next one, others are not', () => {
    take()
    const own = makeLockRecord('token', new Date())
    const gone = { ...own, holder: own.holder && { ...own.holder, started: '1' } }
    writeFileSync(join(base, 'locks/gone'), renderLockRecord(gone))
    writeFileSync(join(base, 'locks/live'), renderLockRecord(own))
    writeFileSync(join(base, 'locks/large'), 'x'.repeat(10_000))
    const later = keepLockFiles(join(base, 'locks'))
    later.take('shop', Buffer.from('record'))
    expect(names()).toContain('live')
    expect(names()).not.toContain('gone')
    expect(names()).not.toContain('large')
  })

  test('cannot be had where no folder can be made, and then locks are made as ever', () => {
    writeFileSync(join(base, 'file'), '')
    expect(keepLockFiles(join(base, 'file/locks')).take('shop', Buffer.from('x'))).toBeUndefined()
  })
})
