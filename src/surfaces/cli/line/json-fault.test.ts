import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from '../../../platform/basics/exact-json.ts'
import { StrictJsonError, type StrictJsonReason } from '../../../platform/basics/strict-json.ts'
import { placeOfJsonFault } from './json-fault.ts'

/** Why a text is refused and where, as the command line tells it. */
function toldOf(text: string): [StrictJsonReason, string] | undefined {
  try {
    parseExactJson(text)
    return undefined
  } catch (error) {
    const { reason } = error as StrictJsonError
    return [reason, placeOfJsonFault(text, reason)]
  }
}

test.each([
  ['{"a":\n"b" "c"}', 'malformed', 'line 2, column 5'],
  ['{"a":', 'malformed', 'line 1, column 6'],
  ['', 'malformed', 'line 1, column 1'],
  ['{"a": 1,}', 'malformed', 'line 1, column 9'],
  ['[1, 2', 'malformed', 'line 1, column 6'],
  ["{'a': 1}", 'malformed', 'line 1, column 2'],
  ['{"ü":"😀" x}', 'malformed', 'line 1, column 10'],
  ['{"a":"b\nc"}', 'malformed', 'line 1, column 8'],
  ['{"a":"\\x"}', 'malformed', 'line 1, column 7'],
  ['{"a":01}', 'malformed', 'line 1, column 7'],
  ['{} {}', 'malformed', 'line 1, column 4'],
  ['{"a":1,\r\n"b":{"a":1},\r\n"a":2}', 'duplicate_key', 'line 3, column 1'],
  ['{"a":1,"\\u0061":2}', 'duplicate_key', 'line 1, column 8'],
  ['[1,\n 1e999]', 'number_too_large', 'line 2, column 2'],
  ['[1,\n 12345678901234567890]', 'number_changes', 'line 2, column 2'],
  [`${'['.repeat(70)}${']'.repeat(70)}`, 'too_deep', 'line 1, column 65'],
])('%j is refused as %s at %s', (text, reason, place) => {
  expect(toldOf(text)).toEqual([reason, place])
})

test('what is sound JSON up to a cut is wrong at its end', () => {
  const cut = fc.json().chain((json) => fc.nat(json.length).map((end) => json.slice(0, end)))
  fc.assert(
    fc.property(cut, (text) => {
      const told = toldOf(text)
      if (told?.[0] !== 'malformed') return
      const column = Number(/^line 1, column (\d+)$/.exec(told[1])?.[1])
      // A word or a number is wrong from where it begins.
      expect([...text].slice(column - 1).join('')).toMatch(/^[\w.+\\-]*$/)
    }),
  )
})

test('any text is told a place, however odd it is', () => {
  const odd = fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1', '-', 'e', 't', '\n', '\u0085', ' '),
  })
  fc.assert(
    fc.property(odd, (text) => {
      expect(toldOf(text)?.[1] ?? 'line 1, column 1').toMatch(/^line \d+, column \d+$/)
    }),
  )
})

test('a large document is looked through without harm', () => {
  const text = `{"a":"${'x\\n'.repeat(300_000)}" "b"}`
  expect(toldOf(text)).toEqual(['malformed', `line 1, column ${text.length - 3}`])
})
