import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openEngine } from '../../../platform/patterns/engine.ts'
import { loadEngineModule } from '../../../platform/patterns/engine-module.ts'
import { randomPattern } from '../../../platform/patterns/random-pattern.fixture.ts'
import { createRedactor } from '../../../platform/redaction/redactor.ts'
import { type FoundInText, lookThrough, sieveOf } from './look-through.ts'

/** Of one rule and length, with words, signs and letters of patterns at their ends. */
const SECRETS = ['ab1_wxyz', '!ab 1é!!', 'ébaba_1b', '.{1ab c.']
const redactor = createRedactor({ known: SECRETS })
const { findAll } = openEngine(await loadEngineModule())

const anyText = fc
  .array(fc.constantFrom('a', 'b', 'é', ' ', '\n', '\r\n', '\r', '_', '1', '.', '{', '<>', '<>'), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.includes('<>'))
const anchor = fc.constantFrom('', '', '\\b', '\\B', '\\b{start}', '\\b{end-half}', '^', '$', '\\A', '\\z')
const anyPattern = fc
  .tuple(anchor, randomPattern, anchor, fc.oneof(randomPattern, fc.constant({ source: '' })), anchor)
  .map(([first, one, second, other, third]) => first + one.source + second + other.source + third)

function look(text: string, pattern: string, sieve: string | undefined): FoundInText | undefined {
  return lookThrough(findAll, { pattern, sieve, redactor }, Buffer.from(text))
}

test('what is found does not depend on what is hidden, nor on the sieve', () => {
  let found = 0
  fc.assert(
    fc.property(anyText, anyPattern, (text, pattern) => {
      const answers = SECRETS.map((secret) => look(text.replaceAll('<>', secret), pattern, sieveOf(pattern)))
      const unsifted = look(text.replaceAll('<>', SECRETS[0] as string), pattern, undefined)
      for (const answer of answers) expect(answer).toEqual(unsifted)
      if (unsifted) found += 1
    }),
    { numRuns: 1_500 },
  )
  expect(found).toBeGreaterThan(200)
})

test('a sieve leaves out word boundaries, and nothing else', () => {
  const sieves = {
    'foo.*': 'foo.*',
    '\\bfoo\\b': '()foo()',
    '\\b{start-half}a\\B+': '()a()+',
    '\\\\b\\\\\\b': '\\\\b\\\\()',
    '\\b{2}': '(){2}',
    '(?x)a # \\b{\n|b }': '(?x)a # (){\n|b }',
  }
  for (const [pattern, sieve] of Object.entries(sieves)) expect(sieveOf(pattern)).toBe(sieve)
})
