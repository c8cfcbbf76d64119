import { describe, expect, test } from 'vitest'
import { linesOf } from './lines.ts'
import { findNearest } from './near-place.ts'

function near(text: string, spec: string) {
  const lines = linesOf(text)
  const found = findNearest(text, spec, lines)
  return found && [found.difference, lines.numberAt(found.start), lines.numberAt(found.end - 1)]
}

describe('the place that is nearest to a spec', () => {
  test.each([
    ['other blanks', 'a\n  if (x) {\n\treturn y\n}\n', 'if (x) {\n    return y\n}', ['blanks', 2, 4]],
    ['blanks left out', 'x\na = b + c\n', 'a=b+c', ['blanks', 2, 2]],
    ['an odd blank', 'x\na\u00a0b\n', 'a b', ['blanks', 2, 2]],
    ['CRLF in the file', 'a\r\nb\r\nc\r\n', 'b\nc', ['endings', 2, 3]],
    ['CRLF in the spec', 'a\nb\nc\n', 'b\r\nc', ['endings', 2, 3]],
    ['a letter wrong', 'one\nconst value = compute(1)\n', 'const valeu = compute(1)', ['words', 2, 2]],
    ['the best of several', 'let total = 1\nlet totals = 12\n', 'let totals = 13', ['words', 2, 2]],
    ['the longest line of several', 'a\nconst value = 1\n', '{\n  const values = 1\n}', ['words', 2, 2]],
    ['nothing like it', 'one\ntwo\n', 'completely different', undefined],
    ['nothing at all', '', 'spec', undefined],
    ['blanks alone', 'a b', '\n \n', undefined],
    ['too short a spec', 'abc', 'x', undefined],
    ['a spec of four signs', 'bcda', 'abcd', ['words', 1, 1]],
  ])('%s', (_, text, spec, expected) => {
    expect(near(text, spec)).toEqual(expected)
  })

  test('is looked for within bounds', () => {
    const text = 'aaaa bbbb cccc\n'.repeat(70_000)
    expect(near(text, `${'aaaa'.repeat(16_000)}x`)).toEqual(undefined)
    expect(near(text, 'aaab bbbc cccc')).toEqual(['words', 1, 1])
  })
})
