import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { createRedactor } from './redactor.ts'

describe('environment values', () => {
  verifies(
    'TOOL-128',
    'a value is gone whatever its name, short ones and known plain names are shown',
    () => {
      const environment = {
        FOO: 'plainvalue123',
        SHORT: 'abcde',
        SIX: 'sixsix',
        PATH: '/usr/local/bin:/usr/bin',
        HOME: '/home/somebody',
        PWD: '/srv/place',
        LC_ALL: 'en_GB.UTF-8',
        EMPTY: '',
        GONE: undefined,
      }
      const redactor = createRedactor({ environment })
      expect(redactor.redact('echo plainvalue123!')).toBe('echo [REDACTED:environment_value]!')
      expect(redactor.redact('xplainvalue1234')).toBe('x[REDACTED:environment_value]4')
      expect(redactor.redact('sixsix')).toBe('[REDACTED:environment_value]')
      const shown = 'abcde /usr/local/bin:/usr/bin /home/somebody /srv/place en_GB.UTF-8'
      expect(redactor.redact(shown)).toBe(shown)
    },
  )

  test('are found in every encoding', () => {
    const value = 'pl+ain/"välue" 12?3 ending'
    const redactor = createRedactor({ environment: { FOO: value } })
    const bytes = Buffer.from(value)
    const encoded = [
      value,
      JSON.stringify(value),
      JSON.stringify(JSON.stringify({ value })),
      encodeURIComponent(value),
      new URLSearchParams({ value }).toString(),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...['', 'a', 'bb', 'user:'].flatMap((before) => [
        Buffer.from(before + value).toString('base64'),
        Buffer.from(before + value).toString('base64url'),
        encodeURIComponent(Buffer.from(before + value).toString('base64')),
      ]),
    ]
    for (const text of encoded)
      expect(redactor.redact(`see ${text} there`)).toContain('[REDACTED:environment_value]')
  })

  test('of many lines are found line by line', () => {
    const redactor = createRedactor({ known: ['first line\nsecond line\r\nab'] })
    expect(redactor.redact('x second line y first line')).toBe(
      'x [REDACTED:known_value] y [REDACTED:known_value]',
    )
  })

  test('of great length leave no piece', () => {
    const value = Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(97 + ((at * at) % 26))).join(
      '',
    )
    expect(createRedactor({ known: [value] }).redact(`<${value}>`)).toBe('<[REDACTED:known_value]>')
  })
})

describe('owner patterns', () => {
  verifies('TOOL-138', 'a trailing ... is a run of token characters, a dot is a dot', () => {
    const redactor = createRedactor({ patterns: ['zz-...', 'Blue.Falcon'] })
    expect(redactor.redact('a zz-abcdefgh123 b')).toBe('a [REDACTED:owner_pattern] b')
    expect(redactor.redact('zz-abc_DEF.ghi-123/x+y=')).toBe('[REDACTED:owner_pattern]')
    expect(redactor.redact('zz- and jazz-music and zzz')).toBe('zz- and jazz-music and zzz')
    expect(redactor.redact('project Blue.Falcon, not Blue-Falcon')).toBe(
      'project [REDACTED:owner_pattern], not Blue-Falcon',
    )
  })

  test('add to the built-in rules', () => {
    expect(createRedactor({ patterns: [] }).hasSecret(`ghp_${'a'.repeat(36)}`)).toBe(true)
  })

  test('that would match nearly everything are refused', () => {
    expect(() => createRedactor({ patterns: ['...'] })).toThrow(/too short/)
  })
})
