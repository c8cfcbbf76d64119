import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { fakePrivateKey, fakeProviderTokens, fakeText, HEX } from './fixtures/fake-secrets.ts'
import { hasMark } from './mark.ts'
import { createRedactor, RedactionFailed } from './redactor.ts'
import { anyText, GIVEN } from './texts-to-redact.fixture.ts'

const redactor = createRedactor()
const key = fakeText(40, 11)

describe('marks', () => {
  test('that somebody wrote beside a token do not keep it', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const [mark, hidden] = ['[REDACTED:jwt]', '[REDACTED:github_token]']
    for (const [text, shown] of [
      [`token = "${token} ${mark}"`, `token = "${hidden} ${mark}"`],
      [`token = "${mark} ${token}"`, `token = "${mark} ${hidden}"`],
      [`token=${mark}${token}${mark}`, `token=${mark}${hidden}${mark}`],
      [`password: "${mark} / ${mark}"`, `password: "${mark} / ${mark}"`],
    ] as const) {
      expect(redactor.redact(text)).toBe(shown)
      expect(redactor.redact(shown)).toBe(shown)
    }
  })

  test('name the rule and are told from text', () => {
    const shown = redactor.redact(`x ghp_${fakeText(36)} y`)
    expect(shown).toBe('x [REDACTED:github_token] y')
    expect([shown, '[REDACTED]', 'REDACTED: nothing', ''].map(hasMark)).toEqual([true, true, false, false])
  })

  test('stay as they are', () => {
    for (const text of ['password = [REDACTED:keyword_value]', `Authorization: Bearer [REDACTED:jwt]`]) {
      expect(redactor.redact(text)).toBe(text)
    }
  })

  test('that name no rule hide nothing', () => {
    const hidden = `[REDACTED:ghp_${fakeText(36, 5, HEX)}]`
    expect(redactor.redact(hidden)).toBe('[REDACTED:[REDACTED:github_token]]')
  })
})

describe('known formats', () => {
  verifies('TOOL-126', 'sk-, ghp_ and ghp- tokens are gone, whatever they are made of', () => {
    const bodies = [fakeText(36), 'a'.repeat(36), 'x'.repeat(36), '0123456789abcdefghijklmnopqrstuvwxyz']
    for (const body of bodies) {
      for (const token of [`sk-${body.slice(0, 24)}`, `ghp_${body}`, `ghp-${body}`]) {
        for (const text of [token, `see ${token}.`, `"${token}"`, `a\\n${token}`, `?k=${token}&b`]) {
          expect(redactor.redact(text)).not.toContain(token.slice(4))
        }
      }
    }
  })

  test.each(Object.entries(fakeProviderTokens()))('%s', (rule, token) => {
    expect(redactor.find(`before ${token} after`)).toEqual([{ rule, start: 7, end: 7 + token.length }])
    expect(redactor.redact(`before\n${token}\nafter`)).toBe(`before\n[REDACTED:${rule}]\nafter`)
  })

  test('fillers and words that begin alike are left alone', () => {
    for (const text of [
      `gho_${'x'.repeat(36)}`,
      `AKIA${'X'.repeat(16)}`,
      'task-management-of-some-length',
      'npm_config_cache',
    ]) {
      expect(redactor.redact(text)).toBe(text)
    }
  })
})

describe('private keys', () => {
  const block = fakePrivateKey()

  test('are hidden with their lines, and what follows is shown', () => {
    const shown = redactor.redact(`a\n${block}\nb`)
    expect(shown).toBe(`a\n[REDACTED:private_key]${'\n'.repeat(10)}b`)
    expect(redactor.find(`a\n${block}\nb`)).toEqual([
      { rule: 'private_key', start: 2, end: 2 + block.length },
    ])
  })

  test('are hidden in JSON, behind line numbers and without an end', () => {
    const numbered = block.split('\n').map((line, at) => `${at + 1}\t${line}`)
    const cut = block.split('\n').slice(0, 5).join('\n')
    for (const text of [
      JSON.stringify({ k: block }),
      numbered.join('\n'),
      `${cut}\nthe end.`,
      '-----BEGIN PRIVATE KEY-----',
    ]) {
      const shown = redactor.redact(text)
      for (const line of block.split('\n').slice(1, 5)) expect(shown).not.toContain(line)
      expect(shown).toContain('[REDACTED:private_key]')
    }
    expect(redactor.redact(`${cut}\nthe end.`)).toContain('the end.')
  })

  test('public blocks are shown', () => {
    const certificate = block.replaceAll('RSA PRIVATE KEY', 'CERTIFICATE')
    expect(redactor.redact(certificate)).toBe(certificate)
  })
})

describe('tokens that look made by chance', () => {
  verifies('TOOL-127', 'a random key is gone, prose, code, paths and hashes are shown', () => {
    const random = Buffer.from(fakeText(60, 17, HEX), 'hex').toString('base64')
    expect(random).toHaveLength(40)
    for (const text of [random, `value ${random} here`, `x = "${random}"`]) {
      expect(redactor.redact(text)).not.toContain(random.slice(0, 20))
    }
    const sha256 = fakeText(64, 3, HEX)
    const source = [
      '// The quick brown fox jumps over the lazy dog near src/platform/audit/audit-log.test.ts',
      `const digest = '${sha256}'`,
      `export const expectedHash: string = "${sha256}"`,
      'const issuedTokens = new Map<string, AuthInfo>()',
      'import { createHighEntropyStringDetector2 } from "./detectors/high-entropy-string.js"',
      `${sha256}  dist/main.js`,
    ].join('\n')
    expect(redactor.redact(source)).toBe(source)
  })

  test('lock files, ids and pictures are shown', () => {
    const hash = Buffer.from(fakeText(64, 9)).toString('base64')
    const lines = [
      `"integrity": "sha512-${hash}",`,
      `github.com/a/b v1.0.0 h1:${hash.slice(0, 43)}=`,
      `uses: actions/checkout@${fakeText(40, 8, HEX)} # v4`,
      '"@scope/auth-token": "^6.0.0",',
      'request_id=0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
      `<img src="data:image/png;base64,${hash}">`,
      `https://example.com/files/${fakeText(24)}/view`,
    ]
    for (const line of lines) expect(redactor.redact(line)).toBe(line)
  })
})

describe('values', () => {
  test('are redacted in depth, names included, and by their name', () => {
    const token = fakeText(24, 4)
    const value = {
      list: [`a ghp_${fakeText(36)}`, 1, null, true],
      [`ghp_${fakeText(36)}`]: 'x',
      apiToken: token,
      note: 'plain',
    }
    expect(redactor.redactValue(value)).toEqual({
      list: ['a [REDACTED:github_token]', 1, null, true],
      '[REDACTED:github_token]': 'x',
      apiToken: '[REDACTED:keyword_value]',
      note: 'plain',
    })
  })

  test('too deep or not text at all are withheld', () => {
    const ring: unknown[] = []
    ring.push(ring)
    expect(() => redactor.redactValue(ring)).toThrow(RedactionFailed)
    expect(() => redactor.redact(undefined as unknown as string)).toThrow(RedactionFailed)
    expect(() => redactor.stream().push(null as unknown as string)).toThrow(RedactionFailed)
  })
})

describe('exceptions', () => {
  test('switch a rule off, and no other rule takes its place', () => {
    const text = `ghp_${fakeText(36)} password: "hunter2hunter2"`
    const lenient = createRedactor({ exceptions: ['github_token'] })
    expect(lenient.redact(text)).toBe(text.replace('hunter2hunter2', '[REDACTED:keyword_value]'))
    expect(lenient.hasSecret(text.slice(0, 40))).toBe(false)
  })

  test('leave a known value hidden', () => {
    const token = `ghp_${fakeText(36)}`
    expect(createRedactor({ exceptions: ['github_token'], known: [token] }).redact(token)).toBe(
      '[REDACTED:high_entropy]',
    )
  })

  test('must name a rule', () => {
    expect(() => createRedactor({ exceptions: ['github'] })).toThrow(/no such redaction rule/)
  })
})

describe('any text', () => {
  const pieces = [
    ...Object.values(fakeProviderTokens()),
    fakePrivateKey(),
    key,
    'password = "',
    '"',
    '\n',
    ' ',
    '=',
    '\ud800',
    '\0',
    'Authorization: Bearer ',
    '://u:',
    '@h',
    '[REDACTED:jwt]',
    '-----BEGIN PRIVATE KEY-----',
  ]
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' })), { maxLength: 12 })
    .map((all) => all.join(''))

  test('is redacted without a fault, and once is enough', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactor.redact(text)
        expect(redactor.redact(once)).toBe(once)
        expect(redactor.hasSecret(text)).toBe(once !== text)
      }),
      { numRuns: 500 },
    )
  })

  test('may be one very long line', () => {
    const filler = 'lorem ipsum dolor sit amet, '.repeat(2_000)
    const token = `ghp_${fakeText(36)}`
    const shown = redactor.redact(filler + token + filler + 'A'.repeat(100_000) + token)
    expect(shown.match(/\[REDACTED:github_token\]/g)).toHaveLength(1)
    const long = `password="${fakeText(40_000)}" end`
    expect(redactor.redact(long) === 'password="[REDACTED:keyword_value]" end').toBe(true)
  })
})

describe('bytes', () => {
  test('are redacted as their text is, whatever stands in it', () => {
    const given = createRedactor(GIVEN)
    const isSame = (text: string) => {
      const bytes = Buffer.from(text)
      const [shown, of_bytes] = [given.redact(text), given.redactBytes(bytes)]
      return shown === text ? of_bytes === bytes : Buffer.from(shown).equals(of_bytes)
    }
    fc.assert(fc.property(anyText, isSame), { numRuns: 500 })
  })

  test('of which nothing is hidden come back themselves, in whatever memory they lie', () => {
    const bytes = new TextEncoder().encode('one\ntwo\n').subarray(2, 6)
    expect(redactor.redactBytes(bytes)).toBe(bytes)
    expect(redactor.redactBytes(Buffer.alloc(0))).toHaveLength(0)
  })

  test('that cannot be read are not let through', () => {
    expect(() => redactor.redactBytes(null as unknown as Uint8Array)).toThrow(RedactionFailed)
  })
})
