import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakePrivateKey, fakeText } from './fixtures/fake-secrets.ts'
import { redactedLines } from './redacted-lines.ts'
import { createRedactor } from './redactor.ts'
import { anyText, GIVEN } from './texts-to-redact.fixture.ts'

const redactor = createRedactor(GIVEN)
const password = 'hunter2-Tulip!'
const manifest = [
  'apiVersion: v1',
  'kind: Secret',
  'metadata:',
  '  name: db',
  'data:',
  '  user: aHVudGVyMg==',
]

test('have the marks that the whole text tells of', () => {
  expect(redactedLines(manifest.join('\n'), redactor)).toEqual([
    ...manifest.slice(0, 5),
    '  user: [REDACTED:kubernetes_secret]',
  ])
  expect(redactedLines(`passwords:\n  - ${password}\nafter\n`, redactor)).toEqual([
    'passwords:',
    '  - [REDACTED:keyword_value]',
    'after',
    '',
  ])
})

test.each(['\n', '\r\n'])('a key over many lines has a mark on each of them (ends: %j)', (end) => {
  const key = fakePrivateKey().split('\n')
  const text = ['before', ...key, 'after'].join(end)
  const shown = redactedLines(text, redactor).map((line) => line.trimEnd())
  expect(shown).toEqual(['before', ...key.map(() => '[REDACTED:private_key]'), 'after'])
  expect(redactor.redact(text)).not.toContain((key[3] as string).slice(0, 12))
})

test('a line in the midst of a very long secret is one line still', () => {
  const text = `a\npassword="${fakeText(60_000)}" more\nb`
  expect(redactedLines(text, redactor)).toEqual(redactor.redact(text).split('\n'))
})

test('are those of the redacted text, but for the marks of what goes on', () => {
  const pieces = fc.oneof(
    anyText,
    fc.constantFrom(fakePrivateKey(), manifest.join('\n'), `passwords:\n  - ${password}`, '', 'plain'),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (parts, end) => {
      const text = parts.join(end)
      const shown = redactedLines(text, redactor)
      const whole = redactor.redact(text).split('\n')
      expect(shown.length).toBe(text.split('\n').length)
      shown.forEach((line, at) => {
        expect([line, line.replace(/^([+-]?)\[REDACTED:\w+\]/, '$1')]).toContain(whole[at])
      })
    }),
    { numRuns: 300 },
  )
})
