import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeText } from './fixtures/fake-secrets.ts'
import { createRedactor, RedactionFailed } from './redactor.ts'
import {
  anyLine,
  anyText,
  GIVEN,
  placedSecret,
  tellingLine,
  waitingLines,
} from './texts-to-redact.fixture.ts'

const REDACTORS = [createRedactor(), createRedactor(GIVEN), createRedactor({ exceptions: ['keyword_value'] })]

/** What `redact` gives is the truth; where it hides nothing, the very bytes have to come back. */
function isSame(text: string): boolean {
  const bytes = Buffer.from(text)
  return REDACTORS.every((redactor) => {
    const shown = redactor.redact(text)
    const given = redactor.redactBytes(bytes)
    return shown === text ? given === bytes : Buffer.from(shown).equals(given)
  })
}

/** Each is of interest for one reason alone. */
const EXAMPLES = {
  'brackets that are nested as in no code': 'secret = "ther(and]tion#ing"',
  'signs and a digit in a text of several parts': 'secret = "Ther+and/Ing,on>er:Ther<tion]Ing1"',
  'digits among words': 'secret: "ther_and_tion_123456"',
  'a sign of another script': 'ther_ther_ther_ther_token：xqzvkwjhpbgtymls',
  'a key that one letter qualifies': 'name: "fooS-key"\nvalue: "k7vq2xzj"',
  'a value behind a mark': 'password = "[REDACTED:jwt]k7vq2xzj"',
  'a value before a mark': 'password = "k7vq2xzj[REDACTED:jwt]"',
  'a value with a sign in a line of settings': 'DB_PASSWORD=k7vq2xzj&pin',
  'a token that begins where a long line is cut': `${'the'.repeat(4_096)}${fakeText(40)} ${'word '.repeat(1_000)}`,
}

describe('bytes are redacted as their text is', () => {
  it.each(Object.entries(EXAMPLES))('where it has %s', (_, text) => {
    expect(createRedactor().redact(text)).not.toBe(text)
    expect(isSame(text)).toBe(true)
  })

  it.each([
    ['whatever stands on the lines', anyText, 4_000],
    ['whatever stands on one line', anyLine, 8_000],
    ['where one property tells a value', tellingLine, 12_000],
    ['where a line is waited for', waitingLines, 12_000],
    ['where a place is made for a secret', placedSecret, 8_000],
  ])('%s', (_, texts, numRuns) => {
    fc.assert(fc.property(texts, isSame), { numRuns })
  })

  it('with lines of every length up to and over what is looked at in one piece', () => {
    const length = fc.oneof(fc.integer({ min: 16_360, max: 16_400 }), fc.integer({ min: 0, max: 40_000 }))
    const long = fc
      .tuple(fc.constantFrom('word ', 'a', '漢', 'é ', '0a'), length, anyLine, anyLine)
      .map(
        ([filler, count, before, behind]) =>
          `${before}\n${filler.repeat(count / filler.length)}${behind}\nend`,
      )
    fc.assert(fc.property(long, isSame), { numRuns: 100 })
  })

  it('with more lines of interest than are told of', () => {
    const lines = Array.from({ length: 6_000 }, (_, at) => `plain\nkey${at} = "${fakeText(30, at)}"`)
    expect(isSame(lines.join('\n'))).toBe(true)
    expect(isSame('plain\npassword: "no"\n'.repeat(6_000))).toBe(true)
  })

  it('with more to hide than the program has room for', () => {
    const redactor = createRedactor({ patterns: [fakeText(70_000), 'plainvalue'] })
    const shown = redactor.redactBytes(Buffer.from('a\nplainvalue\nb'))
    expect(Buffer.from(shown).toString()).toBe('a\n[REDACTED:owner_pattern]\nb')
  })
})

it('gives the very bytes back where nothing is hidden, in whatever memory they lie', () => {
  const bytes = new TextEncoder().encode('one\ntwo\n').subarray(2, 6)
  expect(REDACTORS[0]?.redactBytes(bytes)).toBe(bytes)
  expect(REDACTORS[0]?.redactBytes(Buffer.alloc(0))).toHaveLength(0)
})

it('lets nothing through where it fails', () => {
  const broken = null as unknown as Uint8Array
  expect(() => createRedactor().redactBytes(broken)).toThrow(RedactionFailed)
})
