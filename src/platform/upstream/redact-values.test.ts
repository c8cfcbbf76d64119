import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REDACTED, redactDeep, valueRedactor } from './redact-values.ts'

const percentAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const unicodeAll = (text: string) =>
  text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What other programs make of a value on its way into a text. */
const forms: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'upper hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'url encoded': (secret) => encodeURIComponent(secret),
  'form encoded': (secret) => new URLSearchParams({ '': secret }).toString().slice(1),
  'percent everything': percentAll,
  'percent twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'json string': (secret) => JSON.stringify(secret).slice(1, -1),
  'json in json': (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  'json slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'unicode escapes': unicodeAll,
  bearer: (secret) => `Bearer ${secret}`,
}

// A secret of which a piece is the mark itself could be told apart from its own redaction by nothing.
const secretText = (min: number) =>
  fc
    .string({ minLength: min, maxLength: 40, unit: 'grapheme' })
    .filter(
      (text) =>
        text.length >= 6 && text.isWellFormed() && !/^[\][REDACT]+$/.test(text) && text.trim() === text,
    )

describe('valueRedactor', () => {
  test.each(Object.entries(forms))('hides a value as %s, whatever stands around it', (_, form) => {
    fc.assert(
      fc.property(secretText(6), fc.string(), fc.string(), (secret, before, after) => {
        const shown = form(secret)
        const clean = valueRedactor([secret])(`${before} ${shown} ${after}`)
        expect(clean).toContain(REDACTED)
        expect(clean.split(REDACTED).join('')).not.toContain(shown)
      }),
    )
  })

  test('hides it inside a larger encoded text, at any place in it', () => {
    fc.assert(
      fc.property(secretText(8), fc.string(), fc.string(), (secret, before, after) => {
        const encoded = Buffer.from(before + secret + after).toString('base64')
        const clean = valueRedactor([secret])(encoded)
        expect(clean).toContain(REDACTED)
        expect(Buffer.from(clean.split(REDACTED).join(''), 'base64').toString()).not.toContain(secret)
      }),
    )
  })

  test('hides every part of a header value: the token after Bearer, the password within Basic', () => {
    const basic = `Basic ${Buffer.from('someone:pass-word-1').toString('base64')}`
    const redact = valueRedactor(['Bearer tok-123456', basic])
    expect(redact('tok-123456|someone:pass-word-1|pass-word-1')).toBe(`${REDACTED}|${REDACTED}|${REDACTED}`)
  })

  test('hides all of a long value and each line of one with lines', () => {
    const lines = Array.from({ length: 60 }, (_, n) => Buffer.alloc(48, n).toString('base64') + n)
    const clean = valueRedactor([lines.join('\n')])(`${lines.join('\n')} ${lines[7]} ${lines.join('')}`)
    for (const line of lines) expect(clean).not.toContain(line)
  })

  test('leaves everything else alone, and short values too', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(valueRedactor(['never-in-there-0123'])(text)).toBe(text)
        expect(valueRedactor(['abc', '', '12345'])(text)).toBe(text)
        expect(valueRedactor([])(text)).toBe(text)
      }),
    )
  })

  test('takes megabytes of almost matching text', () => {
    const secret = `${'a%25\\'.repeat(10)}z`
    const redact = valueRedactor([secret, 'aaaaaaaaaaaaaaaaaaaaaaaab', 'QUFBQUFB'])
    for (const unit of ['a', '%25', '\\', 'a%25\\', '%2525', '%', '\\u']) {
      const text = unit.repeat(1_000_000 / unit.length)
      expect(redact(text)).toBe(text)
    }
  })
})

describe('redactDeep', () => {
  test('hides in names and values at any depth, and the rest stays as it was', () => {
    const redact = valueRedactor(['s3cret-value', '123456789'])
    const value = { 's3cret-value': [{ a: 'x s3cret-value y' }, 123456789, null, true, 1.5], __proto__: 1 }
    expect(redactDeep(value, redact)).toEqual({
      [REDACTED]: [{ a: `x ${REDACTED} y` }, REDACTED, null, true, 1.5],
    })
  })

  test('gives a value equal to any value without secrets', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(redactDeep(value, valueRedactor(['never-in-there-0123']))).toStrictEqual(value)
      }),
    )
  })

  test('no planted secret survives in the serialised value', () => {
    fc.assert(
      fc.property(secretText(6), fc.jsonValue(), (secret, value) => {
        const planted = { [secret]: value, list: [`<${secret}>`, { deep: JSON.stringify({ secret }) }] }
        const clean = redactDeep(planted, valueRedactor([secret]))
        const texts: string[] = []
        JSON.parse(JSON.stringify(clean), (key, held) => {
          texts.push(key, typeof held === 'string' ? held : '')
          return held
        })
        for (const text of texts) expect(text.split(REDACTED).join('\0')).not.toContain(secret)
      }),
    )
  })

  test('refuses what is nested too deep', () => {
    expect(() => redactDeep(JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`), (text) => text)).toThrow(
      RangeError,
    )
  })
})
