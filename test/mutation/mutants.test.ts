import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { areaOf, listSources } from './decision-code.ts'
import { listChanges, withChange } from './mutants.ts'
import { rankTests } from './run-tests.ts'
import { shuffled, spread } from './shuffled.ts'

const ROOT = join(import.meta.dirname, '../..')
const mutantsOf = (source: string) => listChanges(source).map((change) => withChange(source, change))

describe('a change of the code is made for', () => {
  test.each<[string, string, string[]]>([
    ['a condition', 'if (a) b = 1', ['if (!((a))) b = 1', 'if (a) b = (1 + 1)']],
    ['a choice', 'const x = a ? b : c', ['const x = (!(a)) ? b : c']],
    ['an edge', 'x = a < b', ['x = a <= b']],
    ['an equality', 'x = a === b', ['x = a !== b']],
    ['two conditions', 'x = a && b', ['x = a || b']],
    ['a sum', 'x = a + b', ['x = a - b']],
    ['no joined text', "x = a + 'b'", []],
    ['a throw', 'throw error', [';']],
    ['a refusal', "x = context.refuse('NO')", ['x = (undefined as never)']],
    ['an act', 'await tx.run(insert)', [';']],
    ['an answer of yes or no', '() => a < b', ['() => a <= b', '() => false', '() => true']],
    ['a literal', 'x = true', ['x = false']],
    ['no type', 'let x: true | 1', []],
  ])('%s', (_what, source, expected) => {
    expect(mutantsOf(source).toSorted()).toEqual(expected.toSorted())
  })

  test('each condition of a statement in SQL', () => {
    const source = "const x = sql('UPDATE t SET a = ? WHERE vault_id = ? AND b < ?')"
    expect(mutantsOf(source)).toEqual([
      "const x = sql('UPDATE t SET a = ? WHERE (vault_id = ? OR 1 = 1) AND b < ?')",
      "const x = sql('UPDATE t SET a = ? WHERE vault_id = ? AND (b < ? OR 1 = 1)')",
      "const x = sql('UPDATE t SET a = ? WHERE vault_id = ? AND b <= ?')",
    ])
  })
})

test('the decision code is found, and each of its files can be read', () => {
  const sources = listSources(ROOT)
  for (const name of ['src/operations/run-operation.ts', 'src/platform/identity/token-store.ts'])
    expect(sources).toContain(name)
  expect(sources.filter((path) => path.endsWith('.test.ts'))).toEqual([])
  for (const path of sources.slice(0, 40)) {
    const source = readFileSync(join(ROOT, path), 'utf8')
    for (const change of listChanges(source)) expect(withChange(source, change)).not.toBe(source)
  }
})

test('a seed always gives the same order, and another seed another one', () => {
  const all = Array.from({ length: 50 }, (_, at) => at)
  expect(shuffled(all, 1)).toEqual(shuffled(all, 1))
  expect(shuffled(all, 1)).not.toEqual(shuffled(all, 2))
  expect(shuffled(all, 3).toSorted((a, b) => a - b)).toEqual(all)
})

test('a short sample has something of each area', () => {
  const sample = spread(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], ([area = '']) => area)
  expect(sample).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  expect(areaOf('src/platform/audit/witness.ts')).toBe('src/platform/audit')
  expect(areaOf('src/boundary/json-safe.ts')).toBe('src/boundary')
})

test('the tests that speak of a file come first', () => {
  expect(rankTests(ROOT, 'src/platform/audit/verify-export.ts')[0]).toMatch(/verify-export\.test\.ts$/)
})

test('a run in which nothing was tried is no success', () => {
  const args = ['scripts/mutate.ts', '--mutants', '0', 'src/operations/authority.ts']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  expect(stdout).toContain('nothing is known')
  expect(status).toBe(1)
})
