import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Migration } from '../../src/platform/storage/migrate.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import { FROZEN_STEP, schemaRelease } from '../../src/platform/storage/schema-release.ts'

/** What the steps of version 1.0.0 are, to the word. */
const FROZEN = [
  'ff8fff90d51965fc71584ecd71619a1171e6c9aecbb962ff9bb06ca9398194e4',
  'faf08dfd4f0c32de2da5b3bb18f5103a13e817945b51c45ec4a2aebb043594ac',
  '2e553322f626eb2cee3c15f129a4f9d0be520378b8162815d18a65665820e0a9',
  'b06f835a6a72a2a052cac7df7195fb27b1f547c553c7317b53478f71b4746d9d',
  '58ba0c0a5f74f735a555ac86fbfaee8d74eed7cb790f90eded193ef933e0d644',
]

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
const hashOf = ({ statements, postgres = [] }: Migration) =>
  hash('sha256', JSON.stringify([statements, postgres].map((list) => list.map(oneLine))))

/** Whether a program that knows nothing of a statement can go on reading and writing as before. */
function addsOnly(statement: string): boolean {
  const text = oneLine(statement)
  if (/^CREATE (TABLE|INDEX) /.test(text)) return true
  return /^ALTER TABLE \w+ ADD COLUMN \w+ (TEXT|INTEGER)$/.test(text)
}

test('the steps of version 1.0.0 of the schema are as they were frozen', () => {
  expect(FROZEN).toHaveLength(FROZEN_STEP)
  expect(migrations.slice(0, FROZEN_STEP).map(hashOf)).toEqual(FROZEN)
})

test('the steps count upward by one', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, at) => at + 1))
})

test('every later step says which programs may go on beside it, and those find all as they know it', () => {
  for (const { version, open_to, statements, postgres = [] } of migrations.slice(FROZEN_STEP)) {
    expect([version, typeof open_to]).toEqual([version, 'number'])
    expect(open_to).toBeLessThanOrEqual(version)
    if ((open_to as number) === version) continue
    expect([...statements, ...postgres].filter((statement) => !addsOnly(statement))).toEqual([])
  }
})

test('what a step may not do beside older programs is noticed', () => {
  const bad = [
    'ALTER TABLE tokens ADD COLUMN other TEXT NOT NULL',
    'ALTER TABLE tokens DROP COLUMN label',
    'ALTER TABLE tokens RENAME COLUMN label TO other',
    'DROP TABLE tokens',
    'CREATE UNIQUE INDEX tokens_by_label ON tokens (label)',
    'UPDATE tokens SET label = NULL',
  ]
  expect(bad.filter(addsOnly)).toEqual([])
})

const step = (version: number, open_to: number): Migration => ({ version, open_to, statements: [] })

test('the frozen schema is 1.0.0; a step beside which older programs go on is a small one', () => {
  const frozen = migrations.slice(0, FROZEN_STEP)
  expect(schemaRelease(frozen)).toBe('1.0.0')
  expect(schemaRelease([...frozen, step(6, 5)])).toBe('1.1.0')
  expect(schemaRelease([...frozen, step(6, 5), step(7, 6)])).toBe('1.2.0')
  expect(schemaRelease([...frozen, step(6, 5), step(7, 7)])).toBe('2.0.0')
  expect(schemaRelease([...frozen, step(6, 6), step(7, 6)])).toBe('2.1.0')
})
