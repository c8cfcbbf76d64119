import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import type { Guard } from './guard.ts'
import { CANARY, makeProject, outcomeOf, type Project } from './guard-project.fixture.ts'

let project: Project
let guard: Guard

beforeEach(() => {
  project = makeProject()
  guard = project.open()
})
afterEach(() => project.remove())

function listed(path: string, recursive: boolean): string[] {
  const mark = { file: '', folder: '/', link: '@' }
  return guard
    .list(path, { recursive, limit: 1_000 })
    .entries.map(({ kind, path: shown }) => shown + mark[kind])
}

function walked(path: string, recursive = true): Record<string, string | undefined> {
  const found: Record<string, string | undefined> = {}
  guard.walk(path, { recursive }, (file) => {
    found[file.path] = file.read(1_000)?.toString()
    if (found[file.path] !== undefined && !file.confirm()) found[file.path] = 'not confirmed'
    return 'go_on'
  })
  return found
}

const WHOLE = `
  .environment docs/ docs/a.md hard-link link-chain-1@ link-chain-2@ link-env@ link-env-chain@ link-etc@
  link-etc-missing@ link-evil@ link-flow@ link-folder@ link-git@ link-in@ link-lock@ link-loop-a@ link-loop-b@
  link-new@ link-out@ link-out-folder@ link-out-new@ link-proc-cwd@ link-proc-fd@ link-proc-root@ link-round@
  link-shared@ my_node_modules/ my_node_modules/ok.js readme.md secrets.md src/ src/deep/ src/deep/er/
  src/deep/er/x.ts src/link-chain-3@ src/main.ts sub/
`
  .trim()
  .split(/\s+/)

function list(limit: number) {
  return guard.list('.', { recursive: true, limit })
}

describe('a listing', () => {
  verifies(
    ['TOOL-043', 'TOOL-044'],
    'shows all that is open, in the order of bytes, and follows no link',
    () => {
      expect(listed('.', true)).toEqual(WHOLE)
      expect(listed('.', false)).toEqual(WHOLE.filter((entry) => !/\/./.test(entry)))
      expect(listed('src', false)).toEqual(['src/deep/', 'src/link-chain-3@', 'src/main.ts'])
      expect(listed('link-folder/deep', true)).toEqual(['src/deep/er/', 'src/deep/er/x.ts'])
    },
  )

  test('of a shared folder uses names that can be read again', () => {
    expect(listed('../../shared', true)).toEqual(['shared/util.ts'])
    expect(listed('shared', true)).toEqual(['shared/util.ts'])
    expect(guard.readFile('shared/util.ts', 10).bytes.toString()).toBe('shared')
  })

  test("shows sizes of files and nothing else's", () => {
    const { entries } = guard.list('.', { recursive: false, limit: 100 })
    expect(entries.filter(({ size }) => size > 0).map(({ path, size }) => [path, size])).toEqual([
      ['.environment', 11],
      ['hard-link', CANARY.length],
      ['readme.md', 6],
      ['secrets.md', 13],
    ])
  })

  test('ends at its limit and says so', () => {
    expect([list(3).entries.length, list(3).capped]).toEqual([3, true])
    expect([list(WHOLE.length - 1).capped, list(WHOLE.length).capped]).toEqual([true, false])
    for (const limit of [0, -1, 1.5, Number.NaN]) expect(outcomeOf(() => list(limit))).toBe('ValidationError')
  })

  test('of what is no folder is a fault', () => {
    const uses = ['readme.md', 'fifo', 'nothing', 'link-in'].map((path) =>
      outcomeOf(() => listed(path, true)),
    )
    expect(uses).toEqual(['NotADirectory', 'NotADirectory', 'FileNotFound', 'NotADirectory'])
  })

  test('orders names by bytes, not by the machine words of their letters', () => {
    const names = ['\u{1f600}', '\uff5e', 'Z', 'a', 'é', '\u{10000}']
    mkdirSync(project.in('order'))
    for (const name of names) writeFileSync(project.in(`order/${name}`), '')
    const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(listed('order', false)).toEqual(sorted.map((name) => `order/${name}`))
    expect(Object.keys(walked('order'))).toEqual(sorted.map((name) => `order/${name}`))
  })

  test('leaves out names that no path can hold, and goes on', () => {
    mkdirSync(project.in('odd'))
    for (const name of ['a\nb', '\x1b[2J', 'good', 'c\u2028d']) writeFileSync(project.in(`odd/${name}`), 'x')
    const folder = Buffer.from(`${project.in('odd')}/`)
    writeFileSync(Buffer.concat([folder, Buffer.from([0x62, 0xff, 0xfe])]), 'x')
    mkdirSync(Buffer.concat([folder, Buffer.from([0x64, 0xff])]))
    expect(listed('odd', true)).toEqual(['odd/good'])
    expect(walked('odd')).toEqual({ 'odd/good': 'x' })
  })

  test('goes as deep as paths do, and says that there was more', () => {
    mkdirSync(project.in(`deep/${'d/'.repeat(140)}`), { recursive: true })
    const { entries, capped } = guard.list('deep', { recursive: true, limit: 1_000 })
    expect([entries.length, capped]).toEqual([128, true])
    expect(guard.walk('deep', { recursive: true }, () => 'go_on')).toEqual({ capped: true, unnameable: 0 })
    expect(outcomeOf(() => guard.list(entries.at(-2)?.path ?? '', { recursive: false, limit: 1 }))).toBe('ok')
  })
})

describe('a walk', () => {
  verifies(
    'TOOL-044',
    'meets every open file once, reads and confirms it, and no closed or outside one',
    () => {
      expect(walked('.')).toEqual({
        '.environment': 'environment',
        'docs/a.md': 'docs',
        'hard-link': undefined,
        'my_node_modules/ok.js': 'ok',
        'readme.md': 'readme',
        'secrets.md': 'about secrets',
        'src/deep/er/x.ts': 'deep',
        'src/main.ts': 'main',
      })
      expect(Object.keys(walked('.', false))).toEqual([
        '.environment',
        'hard-link',
        'readme.md',
        'secrets.md',
      ])
      expect(walked('shared')).toEqual({ 'shared/util.ts': 'shared' })
    },
  )

  test('of one file, also through a link, meets that file', () => {
    expect(walked('src/main.ts')).toEqual({ 'src/main.ts': 'main' })
    expect(walked('link-in', false)).toEqual({ 'src/main.ts': 'main' })
    expect(outcomeOf(() => walked('hard-link'))).toBe('denied hard_link')
    expect(outcomeOf(() => walked('nothing'))).toBe('FileNotFound')
  })

  test('ends where it is told to', () => {
    const met: string[] = []
    guard.walk('.', { recursive: true }, ({ path }) => (met.push(path) < 2 ? 'go_on' : 'stop'))
    expect(met).toEqual(['.environment', 'docs/a.md'])
  })

  test('gives no file that is larger than asked for, gone, or no longer a file', () => {
    const seen: Record<string, unknown> = {}
    guard.walk('.', { recursive: true }, (file) => {
      if (file.path === 'readme.md') rmSync(project.in('readme.md'))
      if (file.path === 'secrets.md') {
        rmSync(project.in('secrets.md'))
        symlinkSync('.env', project.in('secrets.md'))
      }
      if (file.path === 'src/main.ts') {
        rmSync(project.in('src/main.ts'))
        execFileSync('mkfifo', [project.in('src/main.ts')])
      }
      seen[file.path] = [file.confirm(), file.read(file.path === '.environment' ? 7 : 100)?.toString()]
      return 'go_on'
    })
    expect(seen).toMatchObject({
      '.environment': [false, undefined],
      'docs/a.md': [false, 'docs'],
      'readme.md': [false, undefined],
      'secrets.md': [false, undefined],
      'src/main.ts': [false, undefined],
    })
  })

  verifies('TOOL-077', 'does not confirm a file that had a second name while it was read', () => {
    const confirmed: Record<string, boolean> = {}
    guard.walk('src', { recursive: true }, (file) => {
      file.read(100)
      const name = project.in(file.path)
      linkSync(name, `${name}.second`)
      rmSync(file.path === 'src/main.ts' ? name : `${name}.second`)
      confirmed[file.path] = file.confirm()
      return 'go_on'
    })
    expect(confirmed).toEqual({ 'src/deep/er/x.ts': false, 'src/main.ts': false })
  })

  test('bears that its files are read and written in other ways meanwhile', () => {
    const read: string[] = []
    guard.walk('.', { recursive: true }, ({ path }) => {
      if (path === 'hard-link') return 'go_on'
      read.push(guard.readFile(path, 100).bytes.toString())
      guard.writeFile(path, Buffer.from('changed'))
      return 'go_on'
    })
    expect(read).toHaveLength(7)
    expect(walked('src')).toEqual({ 'src/deep/er/x.ts': 'changed', 'src/main.ts': 'changed' })
  })

  test('uses nothing of a visit that is over', () => {
    let kept: { read(max: number): unknown; confirm(): boolean } | undefined
    guard.walk('readme.md', { recursive: false }, (file) => ((kept = file), 'stop'))
    expect(kept?.confirm()).toBe(false)
    expect(() => kept?.read(100)).toThrow('the visit is over')
  })
})
