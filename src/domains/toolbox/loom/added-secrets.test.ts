import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../platform/redaction/redactor.ts'
import { checkAddedSecrets } from './added-secrets.ts'
import type { Span } from './edit.ts'

const OLD = 'OLD-SENTINEL-ONE'
const NEW = 'NEW-SENTINEL-TWO'
const redactor = createRedactor({ known: [OLD, NEW] })

/** Where a word stands in a text, each time. */
function spansOf(text: string, word: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    spans.push({ start: at, end: at + word.length })
  return spans
}

/** Neither line nor kind is told, so all there is to see is whether it is refused. */
function isRefused(text: string, kept: readonly Span[]): boolean {
  try {
    checkAddedSecrets(redactor, text, kept)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'SecurityError'
  }
}

describe('a secret put into a text with a kept one', () => {
  test.each([
    ['in a line before it', `x ${NEW}\ny ${OLD}\n`],
    ['before it in its line', `${NEW} ${OLD}\n`],
    ['in a line after it', `y ${OLD}\nx ${NEW}\n`],
    ['after it in its line', `${OLD} ${NEW}\n`],
    ['before and after it', `${NEW}\n${OLD}\n${NEW}\n`],
    ['between two of them', `${OLD}\n${NEW}\n${OLD}\n`],
    ['before two of them', `${NEW}\n${OLD}\n${OLD}\n`],
  ])('%s is refused', (_where, text) => {
    expect(isRefused(text, spansOf(text, OLD))).toBe(true)
  })

  test('is refused too when it is the kept one, written once more elsewhere', () => {
    const text = `${OLD}\n${OLD}\n`
    const [first, second] = spansOf(text, OLD) as [Span, Span]
    expect(isRefused(text, [first, second])).toBe(false)
    expect(isRefused(text, [first])).toBe(true)
    expect(isRefused(text, [second])).toBe(true)
  })
})

test('of a kept place that is one sign too short or beside it nothing is kept', () => {
  const text = `a ${OLD} b`
  const [{ start, end }] = spansOf(text, OLD) as [Span]
  expect(isRefused(text, [{ start, end }])).toBe(false)
  expect(isRefused(text, [{ start: start - 1, end: end + 1 }])).toBe(false)
  expect(isRefused(text, [{ start: start + 1, end }])).toBe(true)
  expect(isRefused(text, [{ start, end: end - 1 }])).toBe(true)
  expect(isRefused(text, [{ start: end, end: end + 2 }])).toBe(true)
  expect(isRefused(text, [{ start: 0, end: start }])).toBe(true)
})
