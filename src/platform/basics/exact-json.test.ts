import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from './exact-json.ts'
import { MAX_JSON_VALUES } from './strict-json.ts'

test('gives what JSON.parse gives for whatever JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value)
      expect(parseExactJson(text)).toStrictEqual(JSON.parse(text))
    }),
  )
})

test.each([
  '-0',
  '[-0.0]',
  '{"a":9007199254740993}',
  '[0.10000000000000001]',
  '[1e-400]',
  '[1.00000000000000000001]',
])('refuses %s, of which a program would make another number', (text) =>
  expect(() => parseExactJson(text)).toThrow('JSON refused: number_changes'),
)

test.each(['[1.0,1e2,0.00]', '"12345678901234567890 -0 1e400"', '[1.5e-7,100000000000000000000]'])(
  'takes %s',
  (text) => expect(parseExactJson(text)).toStrictEqual(JSON.parse(text)),
)

const list = (values: number) => `[${Array(values).fill('1').join()}]`
const members = (values: number) => `{${Array.from({ length: values }, (_, at) => `"${at}":1`).join()}}`
const empties = (values: number) => `[${Array(values).fill('{}').join()}]`

test.each([
  // What is opened counts beside what is in it.
  [list, MAX_JSON_VALUES - 1],
  [members, MAX_JSON_VALUES - 1],
  [empties, MAX_JSON_VALUES / 2 - 1],
])('takes as many values as the limit says and not one more', (of, most) => {
  expect(parseExactJson(of(most))).toStrictEqual(JSON.parse(of(most)))
  expect(() => parseExactJson(of(most + 1))).toThrow('JSON refused: too_many_values')
})

test('signs in strings are no values', () => {
  const text = JSON.stringify([',[{:'.repeat(MAX_JSON_VALUES), '"\\"', '-0 1e400'])
  expect(parseExactJson(text)).toStrictEqual(JSON.parse(text))
})

test('refuses a number that changes wherever it stands between strings', () => {
  const strings = fc.array(fc.string(), { maxLength: 4 })
  fc.assert(
    fc.property(strings, strings, (before, after) => {
      const text = JSON.stringify([...before, 'HERE', ...after.map((name) => ({ [name]: name }))])
      const at = text.replace('"HERE"', '-0')
      expect(() => parseExactJson(at)).toThrow('JSON refused: number_changes')
    }),
  )
})
