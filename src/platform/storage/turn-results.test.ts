import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SqlValue, sql } from './database.ts'
import { turnResults } from './turn-results.ts'

const statements = [sql('SELECT 1'), sql('SELECT 2')]
const value = fc.oneof(
  fc.constantFrom<SqlValue>('', '1', 1, null, 'null', '\0', '\0\0'),
  fc.string(),
  fc.integer(),
)

test('a question is asked once, and no two questions share an answer', () => {
  const question = fc.tuple(
    fc.constantFrom<'one' | 'all'>('one', 'all'),
    fc.nat(1),
    fc.array(value, { maxLength: 3 }).filter(isUnambiguous),
  )
  fc.assert(
    fc.property(fc.array(question, { maxLength: 40 }), (questions) => {
      const results = turnResults()
      let asked = 0
      for (const [kind, at, values] of questions) {
        const read = () => ({ asked: ++asked, kind, at, values: JSON.stringify(values) })
        const found = results.find(kind, statements[at] as (typeof statements)[0], values, read)
        expect(found).toMatchObject({ kind, at, values: JSON.stringify(values) })
      }
      expect(asked).toBe(new Set(questions.map((one) => JSON.stringify(one))).size)
    }),
  )
})

/** No database takes a NUL inside a text, so a key may use it. */
function isUnambiguous(values: SqlValue[]): boolean {
  return values.every((one) => typeof one !== 'string' || !one.includes('\0'))
}

test('nobody can change what others will be given, and a cleared memory asks again', () => {
  const results = turnResults()
  const [statement] = statements as [(typeof statements)[0]]
  const rows = results.find('all', statement, [], () => [{ name: 'a' }])
  expect(() => ((rows[0] as { name: string }).name = 'b')).toThrow(TypeError)
  expect(() => rows.push({ name: 'c' })).toThrow(TypeError)
  results.clear()
  expect(results.find('all', statement, [], () => [{ name: 'd' }])).toEqual([{ name: 'd' }])
})
