import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { type Guard, type HeldFolder, isSameThing, type ThingIdentity } from './guard.ts'
import { makeProject, outcomeOf, type Project } from './guard-project.fixture.ts'

let project: Project
let guard: Guard
let held: HeldFolder

beforeEach(() => {
  project = makeProject()
  guard = project.open()
  held = guard.holdFolder('src/main.ts')
})
afterEach(() => {
  held.close()
  project.remove()
})

const bytes = (text: string): Buffer => Buffer.from(text)

describe('a held folder', () => {
  test('says which file it is held for, links followed', () => {
    expect([held.name, held.path]).toEqual(['main.ts', 'src/main.ts'])
    const through = guard.holdFolder('link-in')
    expect([through.name, through.path, through.read('main.ts', 10)?.bytes.toString()]).toEqual([
      'main.ts',
      'src/main.ts',
      'main',
    ])
    through.close()
    const missing = guard.holdFolder('src/new.ts')
    expect([missing.name, missing.read('new.ts', 10)]).toEqual(['new.ts', undefined])
    missing.close()
  })

  test('is refused where its file could not be written', () => {
    const cases = ['shared/util.ts', '../other/x', '.env', 'src', 'a/b/c', 'readme.md/x', 'fifo', 'hard-link']
    const outcomes = cases.map((path) => outcomeOf(() => guard.holdFolder(path)))
    const denied = ['denied read_only', 'denied outside', 'denied blocked']
    const faults = ['IsADirectory', 'FileNotFound', 'NotADirectory']
    expect(outcomes).toEqual([...denied, ...faults, 'denied special_file', 'denied hard_link'])
  })

  test('makes a lock once, with the mode asked for', () => {
    expect(held.createNew('.lock.main.ts', bytes('token'), 0o600)).toBe(true)
    expect(held.createNew('.lock.main.ts', bytes('other'), 0o600)).toBe(false)
    expect(held.read('.lock.main.ts', 100)).toMatchObject({ bytes: bytes('token'), mode: 0o600 })
    expect(outcomeOf(() => guard.readFile('src/.lock.main.ts', 100))).toBe('denied blocked')
    expect([held.unlink('.lock.main.ts'), held.unlink('.lock.main.ts')]).toEqual([true, false])
  })

  test('takes a link in place of a lock for a taken name, follows it never, and can remove it', () => {
    symlinkSync('../../other/new.txt', project.in('src/.lock.main.ts'))
    expect(held.createNew('.lock.main.ts', bytes('token'), 0o600)).toBe(false)
    expect(outcomeOf(() => held.read('.lock.main.ts', 100))).toBe('denied changed')
    expect(held.stat('.lock.main.ts')?.ino).toBe(
      lstatSync(project.in('src/.lock.main.ts'), { bigint: true }).ino,
    )
    expect(held.unlink('.lock.main.ts')).toBe(true)
    expect(readdirSync(project.at('project/services/other'))).toEqual(['deep', 'secret.txt'])
  })

  verifies(
    'TOOL-065',
    'replaces a file in one step with the mode given, and leaves nothing beside it',
    () => {
      const before = lstatSync(project.in('src/main.ts')).ino
      held.replace('main.ts', bytes('\ufeffnew\r\n'), 0o640)
      const after = lstatSync(project.in('src/main.ts'))
      expect([after.mode & 0o7777, after.ino === before]).toEqual([0o640, false])
      expect(readFileSync(project.in('src/main.ts'), 'utf8')).toBe('\ufeffnew\r\n')
      expect(() => held.replace('main.ts', { length: 2 } as Uint8Array, 0o600)).toThrow()
      expect(readdirSync(project.in('src')).toSorted()).toEqual(['deep', 'link-chain-3', 'main.ts'])
    },
  )

  test('tells a file from a new one of the same name, and when it was changed', () => {
    held.createNew('.lock.main.ts', bytes('a'), 0o600)
    const first = held.stat('.lock.main.ts')
    held.unlink('.lock.main.ts')
    held.createNew('.lock.main.ts', bytes('a'), 0o600)
    const second = held.stat('.lock.main.ts')
    expect(isSameThing(second, first as ThingIdentity)).toBe(false)
    expect(isSameThing(held.stat('.lock.main.ts'), second as ThingIdentity)).toBe(true)
    expect(second?.mtime_ms).toBe(Math.trunc(lstatSync(project.in('src/.lock.main.ts')).mtimeMs))
    expect(held.stat('nothing')).toBeUndefined()
  })

  test('renames within itself', () => {
    held.createNew('.lock.main.ts', bytes('a'), 0o600)
    expect(held.rename('.lock.main.ts', '.lock.main.ts.stolen')).toBe(true)
    expect(held.rename('.lock.main.ts', '.lock.main.ts.stolen')).toBe(false)
    expect(held.read('.lock.main.ts.stolen', 10)?.bytes.toString()).toBe('a')
    for (const [from, to] of [
      ['deep', 'x'],
      ['main.ts', 'deep'],
    ] as const)
      expect(outcomeOf(() => held.rename(from, to))).toBe('IsADirectory')
    expect(outcomeOf(() => held.unlink('deep'))).toBe('IsADirectory')
  })

  test('takes single open names only', () => {
    const uses: ((name: string) => unknown)[] = [
      (name) => held.read(name, 10),
      (name) => held.createNew(name, bytes(''), 0o600),
      (name) => held.replace(name, bytes(''), 0o600),
      (name) => held.stat(name),
      (name) => held.rename(name, 'x'),
      (name) => held.rename('main.ts', name),
      (name) => held.unlink(name),
    ]
    const before = project.snapshot()
    for (const use of uses) {
      for (const name of ['', '.', '..', '../readme.md', 'deep/er', '/etc/passwd', 'a\0', 'a'.repeat(256)])
        expect(
          outcomeOf(() => use(name)),
          name,
        ).toBe('ValidationError')
      for (const name of ['.env', '.ENV.x', '.git', 'secrets', '.flow', '.guard-tmp.x'])
        expect(
          outcomeOf(() => use(name)),
          name,
        ).toBe('denied blocked')
    }
    expect(project.snapshot()).toEqual(before)
  })

  verifies('TOOL-077', 'gives nothing of a file that got a second name', () => {
    linkSync(project.at('project/services/other/secret.txt'), project.in('src/.lock.x'))
    expect(outcomeOf(() => held.read('.lock.x', 100))).toBe('denied hard_link')
  })

  verifies(['TOOL-069', 'TOOL-076'], 'writes nothing once it was moved out of the service', () => {
    renameSync(project.in('src'), project.at('project/services/other/src'))
    const before = project.snapshot()
    const uses = [
      () => held.replace('main.ts', bytes(''), 0o600),
      () => held.createNew('.lock.main.ts', bytes(''), 0o600),
      () => held.rename('main.ts', 'x'),
      () => held.unlink('main.ts'),
      () => held.read('main.ts', 100),
    ]
    expect(uses.map(outcomeOf)).toEqual(uses.map(() => 'denied changed'))
    expect(project.snapshot()).toEqual(before)
  })

  test('takes its lock away wherever the folder was moved', () => {
    held.createNew('.lock.main.ts', bytes('token'), 0o600)
    renameSync(project.in('src'), project.at('project/services/other/src'))
    expect(held.unlink('.lock.main.ts')).toBe(true)
    expect(readdirSync(project.at('project/services/other/src'))).not.toContain('.lock.main.ts')
  })

  test('does nothing once it is closed, nor in a folder that took its number', () => {
    held.close()
    held.close()
    mkdirSync(project.in('later'))
    writeFileSync(project.in('later/main.ts'), 'later')
    const later = guard.holdFolder('later/main.ts')
    expect(() => held.replace('main.ts', bytes('x'), 0o600)).toThrow('the held folder is closed')
    expect(later.read('main.ts', 10)?.bytes.toString()).toBe('later')
    later.close()
  })
})
