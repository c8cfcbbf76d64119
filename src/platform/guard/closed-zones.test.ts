import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { CLOSED, LOCKS, OPEN_LOOKALIKES, SPELLINGS } from './attack-paths.fixture.ts'
import { compileNameRules } from './blocked-names.ts'
import type { Guard } from './guard.ts'
import { allOf, makeProject, outcomeOf, outcomesOf, type Project } from './guard-project.fixture.ts'

let project: Project
let guard: Guard
let before: Record<string, string>

beforeAll(() => {
  project = makeProject()
  guard = project.open()
  before = project.snapshot()
})
afterAll(() => project.remove())

function wide(letter: string): string {
  return String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)
}

function spellingsOf(letter: string): fc.Arbitrary<string> {
  return fc.constantFrom(letter, letter.toUpperCase(), wide(letter), `\u200b${letter}`, `${letter}\u00ad`)
}

function expectBlocked(paths: readonly string[]): void {
  expect(outcomesOf(guard, paths)).toEqual(allOf(paths, 'denied blocked'))
  expect(project.snapshot()).toEqual(before)
}

describe('closed zones', () => {
  verifies(
    ['TOOL-073', 'TOOL-137'],
    'are closed to every use at any depth, be there something or not',
    () => {
      expectBlocked(CLOSED)
    },
  )

  verifies('TOOL-073', 'are closed under every spelling that some system takes for the same', () => {
    expectBlocked(SPELLINGS)
  })

  verifies('TOOL-074', 'match whole names only', () => {
    const open = ['.environment', 'secrets.md', 'my_node_modules/ok.js']
    expect(outcomesOf(guard, open, ['read'])).toEqual(allOf(open, 'ok'))
    expect(outcomesOf(guard, OPEN_LOOKALIKES, ['read'])).toEqual(allOf(OPEN_LOOKALIKES, 'FileNotFound'))
  })

  verifies('TOOL-140', 'hold the policy, so that no use reaches it', () => {
    expectBlocked(['.flow/config.json', '.flow', '.flow/new.json', 'src/../.flow/config.json', '.Flow/x'])
  })

  test("hold locks and the guard's own files, which only a held folder makes", () => expectBlocked(LOCKS))

  verifies('TOOL-137', 'grow by what the scope adds, and never shrink', () => {
    const own = project.open({ block_patterns: ['docs/', '*.md', 'Deep', 'a*b*c', 'x:y'] })
    const closed = [
      'docs/a.md',
      'readme.md',
      'src/deep/er/x.ts',
      'DOCS',
      'src/abc',
      'axxbxxc',
      'x:y',
      ...CLOSED,
    ]
    expect(outcomesOf(own, closed)).toEqual(allOf(closed, 'denied blocked'))
    const open = ['ab', 'acb', 'abcd', 'mdx', 'readme.mdx', 'x', 'deeper']
    expect(outcomesOf(own, open, ['read'])).toEqual(allOf(open, 'FileNotFound'))
  })

  test.each(['', '/', 'a/b', '../x', '**/x', 'a\0', '.', 'x'.repeat(300)])(
    '%j is no block pattern',
    (pattern) => {
      expect(() => project.open({ block_patterns: [pattern] })).toThrow(/block pattern/)
    },
  )

  test('more block patterns than anyone writes are an error', () => {
    expect(() => project.open({ block_patterns: Array.from({ length: 1_001 }, (_, n) => `n${n}`) })).toThrow(
      /1000/,
    )
  })

  test('are found under any mix of case, width, invisible characters and endings', () => {
    const rules = compileNameRules([])
    const zone = fc
      .constantFrom('.env', '.git', 'secrets', 'node_modules', '.flow')
      .chain((name) => fc.tuple(...[...name].map(spellingsOf)))
      .map((letters) => letters.join(''))
    const ending = fc.constantFrom('', '.', ' ', '. .', ':x', '\u200d')
    fc.assert(fc.property(zone, ending, (name, end) => rules.isClosed(name + end)))
  })
})

describe('closed paths', () => {
  verifies(
    'TOOL-131',
    'are closed to every use though they lie in the service, links and listings included',
    () => {
      writeFileSync(project.in('docs/audit.log'), 'audit')
      before = project.snapshot()
      guard = project.open({
        closed_paths: [project.in('docs'), project.in('src/deep/er'), project.in('not-there')],
      })
      expectBlocked([
        'docs',
        'docs/audit.log',
        'docs/new',
        'src/deep/er/x.ts',
        'link-folder/deep/er/x.ts',
        'not-there/x',
      ])
      expectBlocked([project.in('docs/audit.log'), 'nothing/../docs/audit.log'])
      const { entries } = guard.list('.', { recursive: true, limit: 1_000 })
      expect(entries.filter(({ path }) => /^docs|^src\/deep\/er/.test(path))).toEqual([])
      const met: string[] = []
      guard.walk('.', { recursive: true }, ({ path }) => (met.push(path), 'go_on'))
      expect(met.filter((path) => /^docs|^src\/deep\/er/.test(path))).toEqual([])
      expect(outcomeOf(() => guard.readFile('src/main.ts', 10))).toBe('ok')
      rmSync(project.in('docs/audit.log'))
    },
  )
})

describe('a scope of a few top folders', () => {
  test('opens nothing else to any use, be there something or not', () => {
    symlinkSync('../src/main.ts', project.in('docs/link-src'))
    mkdirSync(project.in('src/docs'))
    before = project.snapshot()
    guard = project.open({ only_in: ['docs', 'shared'] })
    const closed = [
      'src/main.ts',
      'src/nothing',
      '.',
      'src',
      'docs/link-src',
      'docs/../readme.md',
      'src/docs',
      'docs.md',
    ]
    const other = [
      'contracts/c.txt',
      '../../contracts/c.txt',
      '../../shared_contracts',
      project.in('readme.md'),
    ]
    expect(outcomesOf(guard, [...closed, ...other])).toEqual(allOf([...closed, ...other], 'denied role'))
    expect(project.snapshot()).toEqual(before)
    const open = ['docs/a.md', 'shared/util.ts', '../../shared/util.ts', 'src/../docs/a.md']
    expect(outcomesOf(guard, open, ['read'])).toEqual(allOf(open, 'ok'))
    expect(guard.list('docs', { recursive: true, limit: 10 }).entries.map(({ path }) => path)).toEqual([
      'docs/a.md',
      'docs/link-src',
    ])
  })
})
