import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import type { Guard } from './guard.ts'
import {
  allOf,
  makeProject,
  outcomeOf,
  outcomesOf,
  type Project,
  WRITE_USES,
} from './guard-project.fixture.ts'

let project: Project
let guard: Guard

beforeEach(() => {
  project = makeProject()
  guard = project.open()
})
afterEach(() => project.remove())

function contentOf(path: string): string {
  return readFileSync(project.in(path), 'utf8')
}

function write(path: string, content = 'new') {
  return guard.writeFile(path, Buffer.from(content))
}

describe('reading', () => {
  verifies(
    ['TOOL-068', 'TOOL-070'],
    'reaches the service and every shared folder, by each of its names',
    () => {
      const paths = ['src/main.ts', 'shared_contracts/api.json', 'shared/util.ts', 'contracts/c.txt']
      const climbing = ['../../shared_contracts/api.json', '../../shared/util.ts', '../../contracts/c.txt']
      const read = [...paths, ...climbing].map((path) => guard.readFile(path, 100).bytes.toString())
      expect(read).toEqual([
        'main',
        'shared_contracts',
        'shared',
        'contracts',
        'shared_contracts',
        'shared',
        'contracts',
      ])
    },
  )

  test('gives bytes and mode as they are', () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0, 0xff, 0x0d, 0x0a])
    writeFileSync(project.in('raw'), bytes, { mode: 0o600 })
    chmodSync(project.in('raw'), 0o640)
    expect(guard.readFile('raw', 100)).toMatchObject({ bytes, mode: 0o640 })
    writeFileSync(project.in('none'), '')
    expect(guard.readFile('none', 100).bytes).toEqual(Buffer.alloc(0))
  })

  test('takes a file up to the limit and refuses one that is a byte longer', () => {
    writeFileSync(project.in('big'), Buffer.alloc(100_001, 'x'))
    expect(guard.readFile('big', 100_001).bytes).toHaveLength(100_001)
    expect(outcomeOf(() => guard.readFile('big', 100_000))).toBe('FileTooLarge')
    expect(outcomeOf(() => guard.readFile('readme.md', 0))).toBe('FileTooLarge')
    for (const limit of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '9' as unknown as number])
      expect(outcomeOf(() => guard.readFile('big', limit))).toBe('ValidationError')
  })

  test('takes files with several names only in the folders that the scope names', () => {
    mkdirSync(project.in('store/inner'), { recursive: true })
    linkSync(project.in('readme.md'), project.in('store/inner/a'))
    expect(outcomeOf(() => guard.readFile('store/inner/a', 100))).toBe('denied hard_link')
    for (const store of [project.in('store'), 'store']) {
      const trusting = project.open({ hard_link_stores: [store] })
      expect(trusting.readFile('store/inner/a', 100).bytes.toString()).toBe('readme')
      expect(outcomeOf(() => trusting.readFile('readme.md', 100))).toBe('denied hard_link')
    }
  })
})

describe('writing', () => {
  verifies(
    'TOOL-069',
    'is refused in shared folders, be there something or not, by each of their names',
    () => {
      const before = project.snapshot()
      const paths = [
        'shared/util.ts',
        'shared/new.ts',
        'shared_contracts/x',
        'contracts/a/b/c',
        '../../shared/util.ts',
      ]
      expect(outcomesOf(guard, paths, WRITE_USES)).toEqual(allOf(paths, 'denied read_only'))
      expect(outcomesOf(guard, ['shared', '../../contracts/'], WRITE_USES)).toEqual(
        allOf(['shared', '../../contracts/'], 'denied read_only'),
      )
      expect(project.snapshot()).toEqual(before)
    },
  )

  test('makes a file and the folders it needs', () => {
    expect(write('a/b/c.txt', 'one')).toEqual({ path: 'a/b/c.txt', size: 3, created: true })
    expect(write('./a//b/c.txt', 'twelve')).toEqual({ path: 'a/b/c.txt', size: 6, created: false })
    expect(contentOf('a/b/c.txt')).toBe('twelve')
    expect(statSync(project.in('a/b/c.txt')).mode & 0o777).toBe(0o644 & ~process.umask())
    expect(readdirSync(project.in('a/b'))).toEqual(['c.txt'])
  })

  verifies(
    'TOOL-065',
    'replaces a file in one step, keeps its mode and owner, and leaves nothing beside it',
    () => {
      const before = lstatSync(project.in('src/main.ts')).ino
      chmodSync(project.in('src/main.ts'), 0o600)
      if (process.getuid?.() === 0) chownSync(project.in('src/main.ts'), 12_345, 23_456)
      const { uid, gid } = statSync(project.in('src/main.ts'))
      write('src/main.ts', '\ufeffa\r\nb\r\n')
      const after = lstatSync(project.in('src/main.ts'))
      expect([after.mode & 0o777, after.uid, after.gid, after.ino === before]).toEqual([
        0o600,
        uid,
        gid,
        false,
      ])
      expect(contentOf('src/main.ts')).toBe('\ufeffa\r\nb\r\n')
      expect(readdirSync(project.in('src')).toSorted()).toEqual(['deep', 'link-chain-3', 'main.ts'])
    },
  )

  test('takes no rights along that would let what an agent wrote run as another', () => {
    chmodSync(project.in('readme.md'), 0o6755)
    write('readme.md')
    expect(statSync(project.in('readme.md')).mode & 0o7777).toBe(0o755)
  })

  verifies('TOOL-075', 'goes through a link inside the service, and the link stays one', () => {
    expect(write('link-in', 'through')).toEqual({ path: 'src/main.ts', size: 7, created: false })
    expect(write('link-new', 'made')).toEqual({ path: 'src/new.ts', size: 4, created: true })
    expect(write('link-folder/other.ts')).toMatchObject({ path: 'src/other.ts' })
    expect([contentOf('src/main.ts'), contentOf('src/new.ts')]).toEqual(['through', 'made'])
    expect([readlinkSync(project.in('link-in')), readlinkSync(project.in('link-new'))]).toEqual([
      'src/main.ts',
      'src/new.ts',
    ])
  })

  test('leaves nothing behind when it is refused or fails', () => {
    const before = project.snapshot()
    const refused = [
      'x/y/.env',
      'x/y/.git/z',
      'x/y/../../../other/z',
      `x/y/${'a'.repeat(256)}`,
      'x/y/../z',
      'x/y/',
    ]
    const failing = [
      'src',
      'readme.md/x',
      'fifo',
      'hard-link',
      'link-out-new',
      'link-out-folder/x/y',
      'a/b/.lock.c',
    ]
    for (const path of [...refused, ...failing])
      expect(
        outcomeOf(() => write(path)),
        path,
      ).not.toBe('ok')
    expect(project.snapshot()).toEqual(before)
  })

  test('takes back the folders it made when the file itself cannot be written', () => {
    const before = project.snapshot()
    const broken = { length: 3 } as Uint8Array
    expect(() => guard.writeFile('made/for/nothing.txt', broken)).toThrow()
    expect(() => guard.writeFile('readme.md', broken)).toThrow()
    expect(project.snapshot()).toEqual(before)
  })
})

describe('deleting', () => {
  verifies('TOOL-045', 'removes exactly one regular file', () => {
    const before = project.snapshot()
    expect(guard.deleteFile('src/deep/er/x.ts')).toEqual({ path: 'src/deep/er/x.ts' })
    expect(guard.deleteFile('link-folder/main.ts')).toEqual({ path: 'src/main.ts' })
    const gone = Object.keys(before).filter((path) => !(path in project.snapshot()))
    expect(gone.toSorted()).toEqual(
      ['deep/er/x.ts', 'main.ts'].map((path) => `project/services/svc/src/${path}`),
    )
  })

  verifies('TOOL-045', 'refuses folders, links, patterns and what is shared', () => {
    writeFileSync(project.in('star-1'), '')
    const before = project.snapshot()
    const cases = {
      src: 'IsADirectory',
      '.': 'IsADirectory',
      'src/': 'IsADirectory',
      'star-*': 'FileNotFound',
    }
    const links = {
      'link-in': 'ValidationError',
      'link-new': 'ValidationError',
      'link-folder': 'ValidationError',
    }
    const denied = {
      'link-out': 'denied outside',
      'shared/util.ts': 'denied read_only',
      '.env': 'denied blocked',
    }
    for (const [path, outcome] of Object.entries({ ...cases, ...links, ...denied, '*': 'FileNotFound' }))
      expect(
        outcomeOf(() => guard.deleteFile(path)),
        path,
      ).toBe(outcome)
    expect(project.snapshot()).toEqual(before)
    writeFileSync(project.in('star-*'), '')
    guard.deleteFile('star-*')
    expect(project.snapshot()).toEqual(before)
  })
})

describe('shared folders', () => {
  verifies('TOOL-070', 'need not exist, and are found once they do', () => {
    rmSync(project.at('project/contracts'), { recursive: true })
    const own = project.open()
    expect(
      outcomesOf(own, ['contracts/c.txt', 'contracts', '../../contracts/c.txt'], ['read', 'list']),
    ).toEqual(allOf(['contracts/c.txt', 'contracts', '../../contracts/c.txt'], 'FileNotFound'))
    expect(outcomeOf(() => own.writeFile('contracts/x', Buffer.from('')))).toBe('denied read_only')
    expect(outcomeOf(() => own.readFile('contracts/.env', 10))).toBe('denied blocked')
    mkdirSync(project.at('project/contracts'))
    writeFileSync(project.at('project/contracts/c.txt'), 'late')
    expect(own.readFile('contracts/c.txt', 100).bytes.toString()).toBe('late')
  })

  test('that are links are as good as missing', () => {
    rmSync(project.at('project/contracts'), { recursive: true })
    symlinkSync('services/other', project.at('project/contracts'))
    expect(outcomeOf(() => guard.readFile('contracts/secret.txt', 100))).toBe('FileNotFound')
  })

  test("give way to a folder of the service's own, and are then called by the longer name", () => {
    mkdirSync(project.in('shared'))
    writeFileSync(project.in('shared/util.ts'), 'own')
    expect(guard.readFile('shared/util.ts', 100).bytes.toString()).toBe('own')
    expect(write('shared/new.ts')).toMatchObject({ path: 'shared/new.ts' })
    const listed = guard.list('../../shared', { recursive: false, limit: 10 })
    expect(listed.entries.map(({ path }) => path)).toEqual(['../../shared/util.ts'])
    expect(guard.readFile('../../shared/util.ts', 100).bytes.toString()).toBe('shared')
  })

  test('inside the service are read-only all the same; a service inside one is written', () => {
    const inner = project.open({ shared_roots: [project.in('docs')] })
    expect(outcomeOf(() => inner.writeFile('docs/a.md', Buffer.from('')))).toBe('denied read_only')
    expect(outcomeOf(() => inner.writeFile('src/../docs/new/b.md', Buffer.from('')))).toBe('denied read_only')
    expect(inner.readFile('docs/../src/main.ts', 100).bytes.toString()).toBe('main')
    const outer = project.open({ shared_roots: [project.at('project/services')] })
    expect(outer.readFile('../other/deep/secret.txt', 100).bytes).not.toHaveLength(0)
    expect(outcomeOf(() => outer.writeFile('../other/deep/secret.txt', Buffer.from('')))).toBe(
      'denied read_only',
    )
    expect(outcomeOf(() => outer.writeFile('../other/../svc/src/y', Buffer.from('')))).toBe('ok')
  })
})
