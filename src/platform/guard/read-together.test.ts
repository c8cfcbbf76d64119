import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import {
  ABSOLUTE,
  CLIMBING,
  CLOSED,
  CLOSED_ALIASES,
  LINKS_OUT,
  LITERAL,
  LOCKS,
  NO_PATHS,
  OPEN_LOOKALIKES,
  SPELLINGS,
  TOO_LONG,
} from './attack-paths.fixture.ts'
import { chooseCalls } from './folder-calls.ts'
import { FileFault, type Guard, GuardDenied } from './guard.ts'
import { CANARY, makeProject, type Project } from './guard-project.fixture.ts'
import { type KernelCalls, loadKernelCalls } from './kernel-calls.ts'

const MAX_BYTES = 1_000
let project: Project
let guard: Guard
let calls: KernelCalls

beforeAll(() => {
  chooseCalls('kernel')
  calls = loadKernelCalls() as KernelCalls
})
afterAll(() => chooseCalls('plain'))
beforeEach(() => {
  project = makeProject()
  guard = project.open()
})
afterEach(() => {
  vi.restoreAllMocks()
  project.remove()
})

function together(folder: string, names: readonly string[], from = guard): Record<string, string> {
  const found = from.readTogether(folder, names, MAX_BYTES)
  return Object.fromEntries([...found].map(([name, bytes]) => [name, bytes.toString()]))
}

/** What a walk through one folder reads and confirms there: what may be read together is measured by it. */
function walked(folder: string, from = guard): Record<string, string> {
  const found: Record<string, string> = {}
  from.walk(folder, { recursive: false }, (file) => {
    const bytes = file.read(MAX_BYTES)
    const name = file.path.slice(file.path.lastIndexOf('/') + 1)
    if (bytes && file.confirm()) found[name] = bytes.toString()
    return 'go_on'
  })
  return found
}

function namesIn(folder: string): string[] {
  return readdirSync(project.in(folder))
}

/** Asked for where and by which name; nothing where the guard refuses to answer at all. */
function ask(path: string): Record<string, string> {
  const cut = path.lastIndexOf('/')
  try {
    return together(path.slice(0, Math.max(0, cut)) || (cut === 0 ? '/' : '.'), [path.slice(cut + 1)])
  } catch (error) {
    if (error instanceof GuardDenied || error instanceof FileFault) return {}
    throw error
  }
}

describe('files of one folder', () => {
  test('are read as a walk reads them', () => {
    for (const folder of ['.', 'src', 'src/deep/er', 'docs', 'sub', 'my_node_modules'])
      expect(together(folder, namesIn(folder)), folder).toEqual(walked(folder))
    expect(together('.', namesIn('.'))).toEqual({
      '.environment': 'environment',
      'readme.md': 'readme',
      'secrets.md': 'about secrets',
    })
  })

  test('are read in any number, and nothing stays open', () => {
    for (let n = 0; n < 150; n += 1) writeFileSync(project.in(`docs/${n}`), 'x'.repeat(n))
    const open = readdirSync('/proc/self/fd').length
    expect(Object.keys(together('docs', [...namesIn('docs'), 'none', 'fifo']))).toHaveLength(151)
    together('.', namesIn('.'))
    expect(readdirSync('/proc/self/fd')).toHaveLength(open)
  })

  test('are left to the walk by plain calls', () => {
    chooseCalls('plain')
    try {
      expect(together('.', ['readme.md'])).toEqual({})
    } finally {
      chooseCalls('kernel')
    }
  })

  test('are left out where they are too large, and only then', () => {
    writeFileSync(project.in('docs/full'), 'x'.repeat(MAX_BYTES))
    writeFileSync(project.in('docs/over'), 'x'.repeat(MAX_BYTES + 1))
    expect(Object.keys(together('docs', ['full', 'over', 'a.md']))).toEqual(['full', 'a.md'])
  })

  test('of a place for second names are read, elsewhere not', () => {
    mkdirSync(project.in('store'))
    linkSync(project.in('readme.md'), project.in('store/second'))
    expect(together('store', ['second'])).toEqual({})
    const lenient = project.open({ hard_link_stores: ['store'] })
    expect(together('store', ['second'], lenient)).toEqual({ second: 'readme' })
    expect(together('.', ['readme.md'], lenient)).toEqual({})
  })
})

describe('what is closed', () => {
  verifies(
    ['TOOL-068', 'TOOL-071', 'TOOL-073', 'TOOL-075'],
    'is read together by no path that is refused alone',
    () => {
      const [one, two] = [
        [...CLIMBING, ...ABSOLUTE, ...LINKS_OUT, ...CLOSED_ALIASES, ...CLOSED],
        [...SPELLINGS],
      ]
      const refused = [...one, ...two, ...LOCKS, ...NO_PATHS, ...TOO_LONG]
      for (const path of refused) expect(ask(path), JSON.stringify(path)).toEqual({})
      for (const path of LITERAL) expect(Object.values(ask(path)).join(), path).not.toContain(CANARY)
    },
  )

  verifies('TOOL-073', 'is closed by whole names in any spelling, lookalikes are open', () => {
    const plain = [...SPELLINGS, ...LOCKS].filter((name) => !/[/\0]/.test(name))
    const open = OPEN_LOOKALIKES.filter((name) => !name.includes('/'))
    for (const name of [...plain, ...open]) writeFileSync(project.in(`docs/${name}`), 'content')
    expect(Object.keys(together('docs', [...plain, ...open])).toSorted()).toEqual(open.toSorted())
    const strict = project.open({ block_patterns: ['Private/', '*.pem'] })
    mkdirSync(project.in('docs/PRIVATE'))
    for (const name of ['PRIVATE/x', 'key.PEM', 'key.pem.md']) writeFileSync(project.in(`docs/${name}`), 'k')
    expect(together('docs', ['key.PEM', 'key.pem.md'], strict)).toEqual({ 'key.pem.md': 'k' })
    expect(together('docs/PRIVATE', ['x'], strict)).toEqual({})
  })

  verifies('TOOL-073', 'by its place, or is beyond the reach of a role, is not read', () => {
    const closed = project.open({ closed_paths: [project.in('docs'), project.in('src/main.ts')] })
    expect(together('docs', ['a.md'], closed)).toEqual({})
    expect(together('src', ['main.ts'], closed)).toEqual({})
    expect(together('src/deep/er', ['x.ts'], closed)).toEqual({ 'x.ts': 'deep' })
    const limited = project.open({ only_in: ['docs'] })
    expect(together('src', ['main.ts'], limited)).toEqual({})
    expect(together('.', ['readme.md'], limited)).toEqual({})
    expect(together('docs', ['a.md'], limited)).toEqual({ 'a.md': 'docs' })
  })

  test('is not reached by what is no single name', () => {
    const names = ['', '.', '..', 'deep/er/x.ts', '../readme.md', '/etc/passwd', 'main.ts\0', 'main\ud800.ts']
    expect(together('src', names)).toEqual({})
    writeFileSync(project.in('src/main\ufffd.ts'), 'content')
    expect(together('src', ['main\ud800.ts', 'main\ufffd.ts'])).toEqual({})
  })
})

/** Does something at the moment just before the kernel is asked for a thing. */
function before(method: 'openBeneath' | 'look' | 'rename', name: string, act: () => void): void {
  const real = calls[method] as (...args: unknown[]) => never
  let is_done = false
  vi.spyOn(calls, method).mockImplementation((...args: unknown[]) => {
    if (!is_done && args[1] === name) {
      is_done = true
      act()
    }
    return real(...args)
  })
}

const FILE = 'src/main.ts'
const SECRET = 'project/services/other/secret.txt'

function replace(make: (place: string) => void): void {
  rmSync(project.in(FILE))
  make(project.in(FILE))
}

/** What an attacker may put in the place of a file that was met as one. */
const SWAPS: Record<string, () => void> = {
  'a link to the outside': () => replace((place) => symlinkSync(project.at(SECRET), place)),
  'a link in the service': () => replace((place) => symlinkSync('../readme.md', place)),
  'a link to a descriptor': () => replace((place) => symlinkSync('/proc/self/fd/0', place)),
  'a FIFO': () => replace((place) => execFileSync('mkfifo', [place])),
  'a folder': () => replace((place) => mkdirSync(place)),
  'a second name of an outside file': () => replace((place) => linkSync(project.at(SECRET), place)),
  'something too large': () => writeFileSync(project.in(FILE), CANARY.repeat(MAX_BYTES)),
  nothing: () => rmSync(project.in(FILE)),
  'a file in a folder that was moved out': () => moveFolder('project/services/other/src'),
  'a file in a folder with another name': () => moveFolder('project/services/svc/sources'),
}

function moveFolder(to: string): void {
  renameSync(project.in('src'), project.at(to))
  mkdirSync(project.in('src'))
  writeFileSync(project.at(`${to}/main.ts`), CANARY)
  writeFileSync(project.in(FILE), 'main')
}

/** What may happen to a file while, or after, it is read. */
const CHANGES: Record<string, () => void> = {
  ...SWAPS,
  'a longer one': () => appendFileSync(project.in(FILE), CANARY),
  'one with a second name': () => linkSync(project.in(FILE), project.in('src/second')),
  'one that had a second name': () => {
    linkSync(project.in(FILE), project.in('src/second'))
    unlinkSync(project.in('src/second'))
  },
  'another of the same content': () => replace((place) => writeFileSync(place, 'main')),
}

describe('a file that is swapped', () => {
  test.each(Object.entries(SWAPS))('before it is opened for %s is not read', (_, swap) => {
    before('openBeneath', 'main.ts', swap)
    expect(together('src', ['main.ts'])).toEqual({})
  })

  test.each(Object.entries(CHANGES))('after it was read for %s is not confirmed', (_, change) => {
    writeFileSync(project.in('src/first'), 'first')
    // By the first of the names the folder's barrier is passed, when all were read.
    before('rename', 'first', change)
    const found = together('src', ['first', 'main.ts'])
    expect(found).not.toHaveProperty('main.ts')
  })

  test.each(Object.entries(SWAPS))(
    'together with its folder, before that is opened, for %s',
    (what, swap) => {
      before('openBeneath', 'src', swap)
      const found = together('src', ['main.ts'])
      if (what.startsWith('a file in')) expect(found).toEqual({ 'main.ts': 'main' })
      else expect(found).toEqual({})
    },
  )

  verifies('TOOL-077', 'is not read where its second name is taken away to leave a count of one', () => {
    rmSync(project.in(FILE))
    linkSync(project.at('project/services/svc-evil/x'), project.in(FILE))
    before('look', '', () => {
      rmSync(project.in(FILE))
      writeFileSync(project.in(FILE), 'main')
    })
    expect(together('src', ['main.ts'])).toEqual({})
  })

  verifies('TOOL-076', 'with a folder above it for a link is not read', () => {
    for (const [folder, target] of [
      ['src', '../other'],
      ['src/deep', '../docs'],
    ] as const) {
      renameSync(project.in(folder), project.in('kept'))
      symlinkSync(target, project.in(folder))
      expect([together(folder, ['secret.txt', 'a.md']), together(`${folder}/er`, ['x.ts'])]).toEqual([{}, {}])
      rmSync(project.in(folder))
      renameSync(project.in('kept'), project.in(folder))
    }
    expect(together('src/deep/er', ['x.ts'])).toEqual({ 'x.ts': 'deep' })
  })

  test('is read where nothing happens at these moments', () => {
    writeFileSync(project.in('src/first'), 'first')
    for (const [method, name] of [
      ['openBeneath', 'main.ts'],
      ['rename', 'first'],
      ['look', ''],
    ] as const) {
      before(method, name, () => {})
      expect(together('src', ['first', 'main.ts'])).toEqual({ first: 'first', 'main.ts': 'main' })
    }
  })

  test('as the whole service is refused as a walk refuses it', () => {
    renameSync(project.in(''), project.at('project/services/away'))
    expect(() => together('src', ['main.ts'])).toThrow(GuardDenied)
    expect(() => walked('src')).toThrow(GuardDenied)
    renameSync(project.at('project/services/away'), project.in(''))
    expect(together('src', ['main.ts'])).toEqual({ 'main.ts': 'main' })
  })
})
