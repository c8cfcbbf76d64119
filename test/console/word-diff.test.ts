import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDiff } from '../../console/src/parts/word-diff.ts'

const words = fc
  .array(
    fc.oneof(
      fc.constantFrom('read', 'send', ' ', '\n', '.', 'no', '–', '\u202e'),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map((parts) => parts.join(''))

test('what stays and goes is the old text, what stays and comes the new one', () => {
  fc.assert(
    fc.property(words, words, (before, after) => {
      const pieces = wordDiff(before, after)
      const without = (gone: string) =>
        pieces
          .filter(({ kind }) => kind !== gone)
          .map(({ text }) => text)
          .join('')
      expect(without('add')).toBe(before)
      expect(without('del')).toBe(after)
    }),
  )
})

test('only the words that differ are told apart', () => {
  expect(wordDiff('Send nothing out.', 'Send it out.')).toEqual([
    { kind: 'same', text: 'Send ' },
    { kind: 'del', text: 'nothing' },
    { kind: 'add', text: 'it' },
    { kind: 'same', text: ' out.' },
  ])
  expect(wordDiff('same', 'same')).toEqual([{ kind: 'same', text: 'same' }])
})

test('texts without end are not compared word by word', () => {
  const [before, after] = ['a b '.repeat(2_000), 'c d '.repeat(2_000)]
  expect(wordDiff(before, after).map(({ kind }) => kind)).toEqual(['del', 'add', 'same'])
})
