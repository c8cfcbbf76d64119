import { symlinkSync, unlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { ABSOLUTE, CLIMBING, CLOSED_ALIASES, LINKS_OUT } from './attack-paths.fixture.ts'
import { FileFault, type Guard, GuardDenied } from './guard.ts'
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
let before: Record<string, string>

beforeAll(() => {
  project = makeProject()
  guard = project.open()
  before = project.snapshot()
})
afterAll(() => project.remove())

/** Every use of every path ends alike, and the disk is as it was. */
function expectAll(paths: readonly string[], outcome: string, uses?: string[]): void {
  expect(outcomesOf(guard, paths, uses)).toEqual(allOf(paths, outcome))
  expect(project.snapshot()).toEqual(before)
}

function read(path: string): string {
  return guard.readFile(path, 1_000).bytes.toString()
}

function answer(path: string): unknown {
  try {
    return guard.readFile(path, 10)
  } catch (error) {
    return error instanceof GuardDenied && [error.name, error.reason, error.message, Object.keys(error)]
  }
}

describe('paths that lead out', () => {
  verifies(['TOOL-046', 'TOOL-071', 'TOOL-072'], 'are refused to every use, wherever their .. stands', () => {
    expectAll(CLIMBING, 'denied outside')
    expectAll([`${'../'.repeat(1_000)}etc/passwd`], 'denied outside')
  })

  verifies('TOOL-071', 'are refused where a neighbour begins with the same name', () => {
    const service = project.in('').replace(/\/$/, '')
    expectAll(
      ['-evil/x', '-evil', '/../svc-evil/x', '.', '/..', ' '].map((tail) => service + tail),
      'denied outside',
    )
  })

  verifies(
    ['TOOL-068', 'TOOL-069', 'TOOL-072'],
    'are refused when absolute, be there something or not',
    () => {
      expectAll(ABSOLUTE, 'denied outside')
      const own = [
        'outside.txt',
        'project',
        'project/services/other/secret.txt',
        'project/services/svc/../other/x',
      ]
      expectAll(
        own.map((path) => `${project.folder}/${path}`),
        'denied outside',
      )
      expectAll([`/proc/self/root${project.in('readme.md')}`], 'denied outside')
    },
  )

  verifies('TOOL-079', 'give one answer, whether or not the thing outside exists', () => {
    const pairs = [
      ['../other/secret.txt', '../other/nothing.txt'],
      ['../other', '../nobody'],
      ['/etc/passwd', '/etc/nothing'],
      ['link-etc', 'link-etc-missing'],
      ['link-out', 'link-out-new'],
      ['link-out-folder/secret.txt', 'link-out-folder/none/none.txt'],
    ]
    for (const pair of pairs) expect(new Set(pair.map((path) => JSON.stringify(answer(path)))).size).toBe(1)
    expect(answer('/etc/passwd')).toEqual([
      'GuardDenied',
      'outside',
      'guard: outside',
      ['name', 'reason', 'path'],
    ])
  })

  test('come back where they name the service or a shared folder exactly', () => {
    expect(['../svc/readme.md', '../other/../svc/readme.md', '../../shared/util.ts'].map(read)).toEqual([
      'readme',
      'readme',
      'shared',
    ])
    expect(read(project.in('readme.md'))).toBe('readme')
    expect(read(`${project.at('project/nobody')}/../shared/util.ts`)).toBe('shared')
  })
})

describe('links', () => {
  verifies(['TOOL-075', 'TOOL-045'], 'are not followed out: leaf, chain, ancestor, dangling, /proc', () => {
    expectAll(LINKS_OUT, 'denied outside')
  })

  verifies('TOOL-073', 'give a closed zone no other name', () => expectAll(CLOSED_ALIASES, 'denied blocked'))

  verifies('TOOL-075', 'inside the service, to a shared folder, or round and back are followed', () => {
    const links = ['link-in', 'link-folder/main.ts', 'link-shared', 'link-round', 'link-folder/../readme.md']
    expect(links.map(read)).toEqual(['main', 'main', 'shared', 'readme', 'readme'])
    expectAll(['link-shared'], 'denied read_only', WRITE_USES)
  })

  test('in a ring, and more of them than forty, are refused', () => {
    expectAll(['link-loop-a', 'link-loop-a/x'], 'denied link_loop')
    const names = Array.from({ length: 41 }, (_, n) => project.in(`many-${n}`))
    for (const [n, name] of names.entries()) symlinkSync(n === 0 ? 'readme.md' : `many-${n - 1}`, name)
    expect(read('many-39')).toBe('readme')
    expect(outcomeOf(() => read('many-40'))).toBe('denied link_loop')
    for (const name of names) unlinkSync(name)
  })

  test('that make a path longer and longer come to an end', () => {
    const names = Array.from({ length: 25 }, (_, n) => `double-${n}`)
    symlinkSync('src/../'.repeat(400), project.in('double-0'))
    for (const n of names.keys())
      if (n > 0) symlinkSync(`double-${n - 1}/`.repeat(2), project.in(`double-${n}`))
    expect(outcomeOf(() => read('double-24/readme.md'))).toBe('denied link_loop')
    for (const name of names) unlinkSync(project.in(name))
  })
})

test('faults name the path as it was given, and never a place on the host', () => {
  const paths = ['src/nothing.ts', 'readme.md/x', 'src', './src//nothing.ts', 'link-new']
  const messages = paths.map((path) => {
    try {
      return read(path)
    } catch (error) {
      return error instanceof FileFault && `${error.code} ${error.message} ${String(error.cause)}`
    }
  })
  expect(messages).toEqual([
    'FileNotFound src/nothing.ts: there is no such file or folder undefined',
    'NotADirectory readme.md/x: is not a folder, or leads through something that is none undefined',
    'IsADirectory src: is a folder, not a file undefined',
    'FileNotFound ./src//nothing.ts: there is no such file or folder undefined',
    'FileNotFound link-new: there is no such file or folder undefined',
  ])
})
