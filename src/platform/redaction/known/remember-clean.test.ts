import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeText } from '../fixtures/fake-secrets.ts'
import { createRedactor } from '../redactor.ts'

const plain = createRedactor()
const filler = 'The heron waits at the edge of the reeds.\n'

const piece = fc.constantFrom(
  filler.repeat(30),
  filler,
  `token = ghp_${fakeText(36)}\n`,
  `password: ${fakeText(20, 3)}\n`,
  'password = [REDACTED:keyword_value]\n',
)
const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))

test('what comes again is shown as it would be the first time', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.constantFrom('redact', 'find')), { maxLength: 12 }), (asked) => {
      const remembering = createRedactor({ remembers: true })
      for (const [one, how] of [...asked, ...asked])
        expect(remembering[how as 'find'](one)).toEqual(plain[how as 'find'](one))
    }),
  )
})

test('more texts than are kept are shown as well', () => {
  const remembering = createRedactor({ remembers: true })
  for (let at = 0; at < 3_000; at += 1) {
    const long = filler.repeat(25) + (at % 3 === 0 ? `${at} ghp_${fakeText(36)}` : at)
    expect(remembering.hasSecret(long)).toBe(at % 3 === 0)
  }
})
