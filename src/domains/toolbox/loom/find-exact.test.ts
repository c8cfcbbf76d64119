import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findExact } from './find-exact.ts'

const few = fc
  .array(fc.constantFrom('a', 'b', '\ud83d'), { maxLength: 12 })
  .map((letters) => letters.join(''))

/** Long enough for the search that never goes back. */
const LONG = 3_000

function naive(text: string, spec: string) {
  const found = []
  for (let at = 0; at + spec.length <= text.length; ) {
    const isThere = spec !== '' && text.startsWith(spec, at)
    if (isThere) found.push({ start: at, end: at + spec.length })
    at += isThere ? spec.length : 1
  }
  return found
}

test('finds what stands there, in short texts and in long ones', () => {
  fc.assert(
    fc.property(few, few, fc.array(few, { maxLength: 6 }), (spec, unit, between) => {
      expect(findExact(between.join(spec), spec)).toEqual(naive(between.join(spec), spec))
      const long_spec = `${unit.repeat(LONG)}${spec}`
      const text = between.join(long_spec)
      expect(findExact(text, long_spec)).toEqual(naive(text, long_spec))
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['the middle', `${'a'.repeat(20_000)}b${'a'.repeat(20_000)}`],
  ['the beginning', `b${'a'.repeat(40_000)}`],
  ['the end', `${'a'.repeat(40_000)}b`],
])('a megabyte that differs from a spec in %s alone is gone through once', (_place, spec) => {
  expect(findExact('a'.repeat(1_000_000), spec)).toEqual([])
  expect(findExact(`${'a'.repeat(500_000)}${spec}c`, spec)).toHaveLength(1)
})
