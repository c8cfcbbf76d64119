import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakePrivateKey, fakeProviderTokens, fakeText } from './fixtures/fake-secrets.ts'
import { FOREIGN_WORDS } from './foreign-words.ts'
import { isPlainLead } from './line-sieve.ts'
import { PROVIDER_FORMATS } from './provider-formats.ts'
import { createRedactor, RedactionFailed, type RedactorOptions } from './redactor.ts'
import { STRUCTURES } from './structure-layer.ts'

const GIVEN: RedactorOptions = {
  environment: { A_VALUE: 'grünes-Haus-42', B_VALUE: 'name — värde' },
  patterns: ['zz-...', 'Ünder', 'f(x', 'q漢r...'],
  known: ['(plain) value', 'ééé"ß漢字', 'smile😀smile'],
}
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

const NAMES =
  'key token auth sid session sig secret password passwd dbPass pw psk pwd geslo authtok api_key apiKey API key name id ' +
  'field header var value default cookie seed salt nonce access_key_id bundle_gems__com jwt credentials login k setting ' +
  'SyntaxKind keyword assign signal tokens keys passthrough compass authority description kind apiVersion variable'
const SIGNS =
  '= : := => == != === , ( ) > < -- - [ ] { } ? ?? || & && | + \\ / . ; @ # $ % ^ * ! ~ _ " \' ` \\" &quot; &apos; %3D \\u0022 :// or'
const VALUES = [
  'abcdef',
  'string',
  'hunter2',
  'correct horse battery staple',
  'keys[0]',
  'getToken(key)',
  'a$bcdef',
  'p@ssw!rd',
  'deadbeefcafe',
  'abcdefab:fedcbafe',
  'abcdefab-abcd-abcd-abcd-abcdefabcdef',
  'QWxhZGRpbjpvcGVu=',
  'QWxhZGRpbjpvcGVuIA==',
  'xqZvKwJhPbGtYmLs',
  'qzxjkvbwpfgmhd',
  '#ab(cd]efgh$ijk',
  '1234567890123456',
  '0',
  'utf8',
  'user:pass@tcp(host)',
  'user:pa55word@host/path',
  'example',
  '[REDACTED:jwt]',
  '[REDACTED:nothing]',
  '-----BEGIN CERTIFICATE-----',
  '-----END CERTIFICATE-----',
  '-----BEGIN RSA PRIVATE KEY-----',
  'iVBORw0KGgoAAAANSUhEUgAA',
  "'kind': 'Secret'",
  'kind: Secret',
  'apiVersion: v1',
  'data:',
  'insert into t (pass, key) values',
  "('a1b2c3d4', 'x')",
  'variable "salt" {',
  'process.env.KEY || "',
  ...Object.values(fakeProviderTokens()),
  ...[12, 16, 17, 20, 34, 40, 64].map((length) => fakeText(length, length)),
  ...(GIVEN.known ?? []),
  ...Object.values(GIVEN.environment ?? {}).map(String),
  'zz-abc',
  'Ünder',
  'ünder',
  'f漢x',
  'q漢rtoken',
]
const ODD = [
  '\u001b[31m',
  '\u001b[0m',
  '\\u001b[1m',
  '\\u001B[',
  '\u001b',
  'é',
  'ö',
  '漢',
  '—',
  '©',
  '\u00a0',
  '😀',
  '\ufeff',
  '：',
  '＝',
  '\u2028',
  'пароль',
  'ПАРОЛЬ',
  'HASŁO',
  'haſło',
  '密码',
  'contraseña',
  '\u007f',
  '\v',
  '\f',
  '\u0085',
]
const ANCHORS = [...PROVIDER_FORMATS, ...STRUCTURES].flatMap(({ anchors }) => anchors)

const blank = fc.constantFrom('', '', '', ' ', ' ', '  ', '\t')
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES.split(' ')) },
  { weight: 6, arbitrary: fc.constantFrom(...SIGNS.split(' ')) },
  { weight: 5, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 2, arbitrary: fc.constantFrom(...ANCHORS) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9+/_.~=-]{1,48}$/) },
)
/** A name, an operator and a value, as most secrets are written. */
const given = fc
  .tuple(
    fc.constantFrom('', '  ', 'const ', '"', '--', '<', 'this.', '{ ', '- ', 'set '),
    fc.constantFrom(...NAMES.split(' ')),
    fc.constantFrom(
      '=',
      ': ',
      ' = ',
      '": "',
      '="',
      "='",
      ' ',
      '>',
      ',',
      '("',
      ': `',
      ' == "',
      '", "',
      ' || "',
    ),
    fc.oneof(word, fc.constantFrom(...VALUES)),
    fc.constantFrom('', '"', "'", '",', ';', ')', '</', ' }', ' # ', ' ://x', '://a@b'),
  )
  .map((parts) => parts.join(''))
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.tuple(word, blank), { maxLength: 8 }).map((parts) => parts.flat().join('')),
  },
  { weight: 4, arbitrary: given },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'an ordinary line', '    return value', '\t}', fakePrivateKey()),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(given, fc.constantFrom(':', '=', ' |', ' >-', ' \\', ' [', '+'))
      .map((two) => two.join('')),
  },
)
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')), { maxLength: 10 })
  .map((lines) => lines.flat().join(''))
  .map((made) => made.toWellFormed())

describe('bytes are redacted as their text is', () => {
  it('whatever stands on the lines', () => {
    fc.assert(fc.property(text, isSame), { numRuns: 4_000 })
  })

  it('whatever stands on one line', () => {
    fc.assert(
      fc.property(line, (made) => isSame(made.toWellFormed())),
      { numRuns: 8_000 },
    )
  })

  it('with lines of every length up to and over what is looked at in one piece', () => {
    const length = fc.oneof(fc.integer({ min: 16_360, max: 16_400 }), fc.integer({ min: 0, max: 40_000 }))
    const long = fc
      .tuple(fc.constantFrom('word ', 'a', '漢', 'é ', '0a'), length, line, line)
      .map(
        ([filler, count, before, behind]) =>
          `${before}\n${filler.repeat(count / filler.length)}${behind}\nend`,
      )
    fc.assert(
      fc.property(long, (made) => isSame(made.toWellFormed())),
      { numRuns: 100 },
    )
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

describe('a word in another script', () => {
  const beyondAscii = Array.from({ length: 0x11_0000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80))
  const isTold = (letter: string) => {
    const form = new RegExp(`^${letter}$`, 'iu')
    const written = beyondAscii.filter((char) => form.test(char))
    return written.length > 0 && written.every((char) => !isPlainLead(Buffer.from(char)[0] as number))
  }

  it.each(FOREIGN_WORDS)(
    '%s has a letter whose first byte no sign begins with, however it is written',
    (foreign) => {
      const letters = Array.from(foreign).filter((letter) => letter > '\u007f')
      expect(letters.some(isTold)).toBe(true)
    },
  )
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
