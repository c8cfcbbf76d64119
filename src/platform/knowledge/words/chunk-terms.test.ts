import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Chunk } from '../knowledge.ts'
import { FIELD_WEIGHTS, LEAD_WEIGHT, LEAD_WORDS } from '../ranking/ranking-weights.ts'
import { packCounts, readTerms, stemsIn, unpackCounts } from './chunk-terms.ts'
import { splitTerms } from './split-terms.ts'
import { stemWord } from './stem-word.ts'
import { hashStem } from './vocabulary.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.stringMatching(/^[a-dA-D0-9_ éÉİΣ数]{0,120}$/),
  fc.stringMatching(/^[a-zA-Z]{20,80}$/),
  fc
    .array(fc.constantFrom('retries', 'Retry', 'retryLater', 'URLs', 'İZMİR'), { maxLength: 40 })
    .map((all) => all.join(' ')),
)
const anyChunk = fc
  .record({ name: anyText, text: anyText, kind: fc.constantFrom('code', 'doc') })
  .map((one): Chunk => ({ ...one, start_line: 1, end_line: 1 }))
const plainStems = (text: string) => splitTerms(text).map(stemWord)

it('are the stems of the terms that a text has', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyChunk, { maxLength: 3 }), (path, chunks) => {
      for (const [at, terms] of readTerms(path, chunks).entries()) {
        expect(stemsIn(terms, terms.body)).toEqual(plainStems(chunks[at]?.text ?? ''))
        expect(stemsIn(terms, terms.path)).toEqual(plainStems(path))
      }
    }),
  )
})

it('count by where they stand, and the first words of prose more', () => {
  const text = `${'retries '.repeat(LEAD_WORDS + 5)}header`
  const count = (kind: 'code' | 'doc') => {
    const chunk: Chunk = { kind, name: 'Retry', start_line: 1, end_line: 1, text }
    const [terms] = readTerms('src/retry.md', [chunk])
    return unpackCounts(
      packCounts(terms as NonNullable<typeof terms>),
      ['retri', 'header', 'md', 'no'].map(hashStem),
    )
  }
  const { body, name, path } = FIELD_WEIGHTS
  const plain = body * (LEAD_WORDS + 5) + name + path
  expect(count('code')).toEqual([plain, body, path, 0])
  expect(count('doc')).toEqual([plain + LEAD_WEIGHT * LEAD_WORDS, body, path, 0])
})

/** Another word for every number. */
function wordOf(number: number): string {
  return number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
}

it('are forgotten when there are too many, and right for documents that were read before', () => {
  const before: Chunk[] = [
    { kind: 'code', name: 'a', start_line: 1, end_line: 1, text: 'first words of all' },
  ]
  const [terms] = readTerms('a.ts', before)
  for (let at = 0; at < 8; at++) {
    const text = Array.from({ length: 19_000 }, (_, one) => wordOf(at * 19_000 + one)).join(' ')
    readTerms('b.ts', [{ kind: 'code', name: '', start_line: 1, end_line: 1, text }])
  }
  const [again] = readTerms('a.ts', structuredClone(before))
  expect(again?.vocabulary).not.toBe(terms?.vocabulary)
  for (const one of [terms, again])
    expect(one && stemsIn(one, one.body)).toEqual(plainStems('first words of all'))
})
