import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearPattern } from './linear-pattern.ts'

const atom = fc.constantFrom('a', 'b', '-', '.', '\\d', '\\w', '\\s', '[ab]', '[^a]', '[a-c\\]]', '\\u0061')
const edge = fc.constantFrom('^', '$', '\\b', '\\B')
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '{0}')

/** Patterns of everything that is allowed, nested as it comes. */
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((ways) => ways.map((parts) => parts.join('')).join('|')),
  part: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(atom, quantifier).map((pair) => pair.join('')),
    edge,
    fc.tuple(tie('pattern'), fc.constantFrom('', '?:', '?<name>'), quantifier).map(([in_, mark, times]) => {
      return `(${mark}${in_})${times}`
    }),
  ),
}))

// Short texts: the engine that this is compared with takes exponential time over longer ones.
const text = fc.oneof(
  fc.array(fc.constantFrom(...'abc-. 1\n'.split('')), { maxLength: 5 }).map((chars) => chars.join('')),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
)

describe('linearPattern', () => {
  test('answers as the engine of the language does', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 10 }), (source, texts) => {
        const own = findRegExp(source)
        fc.pre(own !== undefined)
        const linear = linearPattern(source)
        for (const one of texts) expect(linear.test(one)).toBe(own?.test(one))
      }),
      { numRuns: 800 },
    )
  })

  test.each(['(?=a)b', '(?!a)b', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<x>a)\\k<x>', '(?i:a)'])(
    'refuses %s, which has no linear meaning',
    (source) => {
      expect(() => linearPattern(source)).toThrow()
    },
  )

  test.each(['(', '[a', 'a{2,1}', '\\', '*', 'a**', '\\u{110000}'])(
    'refuses %s, which is no pattern',
    (source) => {
      expect(() => linearPattern(source)).toThrow()
    },
  )

  test.each(['a{5000}', '((a{99}){99}){99}', '(?:){1000000000}', '(((){999}){999}){999}', 'a'.repeat(1001)])(
    'refuses %s, which is too large',
    (source) => {
      expect(() => linearPattern(source)).toThrow(/too (?:large|long)/)
    },
  )

  test.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(a|aa)+$', '\\s+$', 'a*a*a*a*a*b', '^([a-z]+-?)+$'])(
    '%s takes a hundred thousand hostile characters',
    (source) => {
      expect(linearPattern(source).test(`${'a'.repeat(100_000)}!`)).toBe(false)
      expect(linearPattern(source).test(`${' '.repeat(100_000)}!`)).toBe(false)
    },
  )

  test.each([
    ['^\\p{L}+$', 'žluť', true],
    ['^\\p{L}+$', 'a1', false],
    ['^.$', '🐎', true],
    ['^[\\u{1F400}-\\u{1F4FF}]$', '🐎', true],
    ['^\\ud83d\\udc0e$', '🐎', true],
    ['', 'x', true],
    ['^$', '', true],
  ])('%s of %s: %s', (source, given, found) => {
    expect(linearPattern(source).test(given)).toBe(found)
  })
})

function findRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}
