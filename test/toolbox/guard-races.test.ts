import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { FileFault, type Guard, GuardDenied } from '../../src/platform/guard/guard.ts'
import {
  CANARY,
  findMemoryFolder,
  makeProject,
  type Project,
  snapshotOf,
  useKernelCalls,
} from '../../src/platform/guard/guard-project.fixture.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeAttacker, raceControl, raceGuard } from './guard-races.fixture.ts'

const TIMEOUT_MS = 120_000
const READS_PER_WALK = 50
let tools: Project
let attacker: string[]
let project: Project
let guard: Guard
let outside: Record<string, string>

beforeAll(() => {
  tools = makeProject()
  attacker = makeAttacker(tools.folder)
})
afterAll(() => tools.remove())

beforeEach(() => {
  // In memory an attack has many times the rounds that it has on a disk.
  project = makeProject(findMemoryFolder())
  guard = project.open()
  rmSync(project.in('hard-link'))
  mkdirSync(project.at('trash'))
  mkdirSync(project.in('dir'))
  writeFileSync(project.in('dir/file.txt'), 'honest')
  writeFileSync(project.at('project/services/other/file.txt'), CANARY)
  writeFileSync(project.in('leaf.txt'), 'honest')
  outside = snapshotOf(project.at('project/services/other'))
})
afterEach(() => {
  expect(snapshotOf(project.at('project/services/other'))).toEqual(outside)
  project.remove()
})

/** Calls the guard; refusals and honest faults are what an attacked path may end in. */
function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use()
  } catch (error) {
    if (error instanceof GuardDenied || error instanceof FileFault) return undefined
    throw error
  }
}

/** Reads a path, and all files there are, against an attack, and counts what came of it. */
async function raceReads(command: string[], path: string): Promise<Record<string, number>> {
  const seen: Record<string, number> = { honest: 0 }
  const count = (what: string): void => void (seen[what] = (seen[what] ?? 0) + 1)
  const { swaps, calls } = await raceGuard([...attacker, ...command], () => {
    for (let n = 0; n < READS_PER_WALK; n += 1)
      count(attempt(() => guard.readFile(path, 1_000).bytes.toString()) ?? 'refused')
    guard.walk('.', { recursive: true }, (file) => {
      if (file.read(1_000)?.includes(CANARY)) count(file.confirm() ? 'confirmed on a walk' : 'read on a walk')
      return 'go_on'
    })
  })
  expect(Math.min(swaps, calls), 'both sides must have had their turns').toBeGreaterThan(0)
  return seen
}

/** Looks where a path leads, finds it good, and opens it: what the guard must not do. */
function readCarelessly(path: string): string | undefined {
  try {
    const real = realpathSync(path)
    if (!real.startsWith(`${realpathSync(project.in('.'))}/`) || real.includes('.env')) return undefined
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function writeCarelessly(path: string): void {
  try {
    if (realpathSync(dirname(path)).startsWith(project.in('.'))) writeFileSync(path, 'written')
  } catch {
    // The path was not there at that moment.
  }
}

/** What may come of reads against an attack: nothing of the outside. */
const HONEST = ['honest', 'refused']

describe.each(['plain', 'kernel'] as const)('swapping under the eyes of the guard, by %s calls', (which) => {
  beforeAll(() => useKernelCalls(which === 'kernel'))
  afterAll(() => useKernelCalls(true))

  verifies(
    'TOOL-076',
    'a file for a link to the outside: no content of it is ever read',
    async () => {
      symlinkSync('../other/secret.txt', project.in('swap'))
      const command = ['exchange', project.in('leaf.txt'), project.in('swap')]
      expect(
        await raceControl([...attacker, ...command], () => readCarelessly(project.in('leaf.txt')) === CANARY),
      ).toBe(true)
      const seen = await raceReads(command, 'leaf.txt')
      expect(Object.keys(seen).toSorted()).toEqual(HONEST)
      expect(seen['honest']).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  verifies(
    ['TOOL-076', 'TOOL-073'],
    'a file for a link to a closed file: no content of it is ever read',
    async () => {
      symlinkSync('.env', project.in('swap'))
      const command = ['exchange', project.in('leaf.txt'), project.in('swap')]
      expect(
        await raceControl([...attacker, ...command], () => readCarelessly(project.in('leaf.txt')) === CANARY),
      ).toBe(true)
      const seen = await raceReads(command, 'leaf.txt')
      expect(Object.keys(seen).toSorted()).toEqual(HONEST)
    },
    TIMEOUT_MS,
  )

  verifies(
    'TOOL-076',
    'a folder above a file for a link to the outside: nothing is read there',
    async () => {
      symlinkSync('../other', project.in('swap'))
      const command = ['exchange', project.in('dir'), project.in('swap')]
      const path = project.in('dir/file.txt')
      expect(await raceControl([...attacker, ...command], () => readCarelessly(path) === CANARY)).toBe(true)
      const seen = await raceReads(command, 'dir/file.txt')
      expect(Object.keys(seen).toSorted()).toEqual(HONEST)
      expect(seen['honest']).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  verifies(
    'TOOL-076',
    'a folder for a link to the outside: nothing is written or deleted there',
    async () => {
      symlinkSync('../other', project.in('swap'))
      const command = [...attacker, 'exchange', project.in('dir'), project.in('swap')]
      const escaped = project.at('project/services/other/new.txt')
      const won = await raceControl(
        command,
        () => (writeCarelessly(project.in('dir/new.txt')), existsSync(escaped)),
      )
      expect(won).toBe(true)
      rmSync(escaped)
      let n = 0
      await raceGuard(command, () => {
        n += 1
        attempt(() => guard.writeFile('dir/new.txt', Buffer.from('written')))
        attempt(() => guard.writeFile(`dir/made-${n % 50}/new.txt`, Buffer.from('written')))
        attempt(() => guard.deleteFile('dir/file.txt'))
        attempt(() => {
          const held = guard.holdFolder('dir/edited.txt')
          attempt(() => held.replace('edited.txt', Buffer.from('edited'), 0o644))
          held.close()
        })
      })
      const left = Object.keys(snapshotOf(project.in('.'))).filter((path) => path.includes('.guard-tmp.'))
      expect(left).toEqual(['.guard-tmp.left'])
    },
    TIMEOUT_MS,
  )

  verifies(
    'TOOL-076',
    'a name that is free for a link to the outside: nothing is made there',
    async () => {
      const command = [...attacker, 'plant', project.in('new.txt'), '../other/new.txt', project.at('trash')]
      const escaped = project.at('project/services/other/new.txt')
      const isWon = (): boolean => {
        if (lstatSync(project.in('new.txt'), { throwIfNoEntry: false }) === undefined)
          writeCarelessly(project.in('new.txt'))
        return existsSync(escaped)
      }
      expect(await raceControl(command, isWon)).toBe(true)
      rmSync(escaped)
      let written = 0
      await raceGuard(command, () => {
        if (attempt(() => guard.writeFile('new.txt', Buffer.from('written')))) written += 1
      })
      expect(written).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  verifies(
    'TOOL-076',
    'a folder just made for a link to the outside: nothing is made there',
    async () => {
      const command = [...attacker, 'plant', project.in('made'), '../other', project.at('trash')]
      const escaped = project.at('project/services/other/in')
      const isWon = (): boolean => {
        try {
          mkdirSync(project.in('made/in'), { recursive: true })
        } catch {
          // A link came between its two steps.
        }
        return existsSync(escaped)
      }
      expect(await raceControl(command, isWon)).toBe(true)
      rmSync(escaped, { recursive: true })
      await raceGuard(command, () => {
        attempt(() => guard.writeFile('made/in/new.txt', Buffer.from('written')))
      })
      const left = Object.keys(snapshotOf(project.folder)).filter((path) => path.includes('.guard-tmp.'))
      expect(left).toEqual(['project/services/svc/.guard-tmp.left'])
    },
    TIMEOUT_MS,
  )

  verifies(
    'TOOL-076',
    'a file for a FIFO: the guard is never made to wait',
    async () => {
      execFileSync('mkfifo', [project.in('swap')])
      const path = project.in('leaf.txt')
      const command = ['exchange', path, project.in('swap')]
      const isWon = (): boolean => {
        if (!lstatSync(path).isFile()) return false
        // Without this flag the control would hang in open, as careless code does.
        const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
        const is_fifo = fstatSync(fd).isFIFO()
        closeSync(fd)
        return is_fifo
      }
      expect(await raceControl([...attacker, ...command], isWon)).toBe(true)
      const seen = await raceReads(command, 'leaf.txt')
      expect(Object.keys(seen).toSorted()).toEqual(HONEST)
      expect(seen['honest']).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  verifies(
    ['TOOL-076', 'TOOL-077'],
    'a file for a second name of an outside one: its content is never read',
    async () => {
      const secret = project.at('project/services/other/file.txt')
      const command = ['second', project.in('leaf.txt'), secret]
      const isWon = (): boolean => {
        const fd = openSync(project.in('leaf.txt'), 'r')
        const content = fstatSync(fd).nlink === 1 ? readFileSync(fd, 'utf8') : ''
        closeSync(fd)
        return content === CANARY
      }
      expect(await raceControl([...attacker, ...command], isWon)).toBe(true)
      const seen = await raceReads(command, 'leaf.txt')
      expect(Object.keys(seen)).not.toContain(CANARY)
      expect(Object.keys(seen)).not.toContain('confirmed on a walk')
      expect(Object.keys(seen)).not.toContain('read together')
    },
    TIMEOUT_MS,
  )
})
