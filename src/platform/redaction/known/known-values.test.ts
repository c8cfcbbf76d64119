import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { fakeText } from '../fixtures/fake-secrets.ts'
import { createRedactor } from '../redactor.ts'

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
      expect(redactor.redact('echo plainvalue123!')).toBe('echo [REDACTED:high_entropy]!')
      expect(redactor.redact('xplainvalue1234')).toBe('x[REDACTED:high_entropy]4')
      expect(redactor.redact('sixsix')).toBe('[REDACTED:high_entropy]')
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
      expect(redactor.redact(`see ${text} there`)).toContain('[REDACTED:high_entropy]')
  })

  test('of many lines are found line by line', () => {
    const redactor = createRedactor({ known: ['first line\nsecond line\r\nab'] })
    expect(redactor.redact('x second line y first line')).toBe(
      'x [REDACTED:high_entropy] y [REDACTED:high_entropy]',
    )
  })

  test('of short lines are found as a whole, also where they are escaped or encoded', () => {
    const value = 'ab1c\nd2ef\n3ghi'
    const redactor = createRedactor({ environment: { FOO: value } })
    const mark = '[REDACTED:high_entropy]'
    expect(redactor.redact(`x\n${value}\ny d2ef`)).toBe(`x\n${mark}\n${mark}\n${mark}\ny d2ef`)
    expect(redactor.redact(`x\r\n${value.replaceAll('\n', '\r\n')}\r\n`)).toBe(
      `x\r\n${mark}\r\n${mark}\r\n${mark}\r\n`,
    )
    for (const text of [
      JSON.stringify({ value }),
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
    ])
      expect(redactor.redact(text)).toContain(mark)
  })

  test.each([
    ['postgres://app:Tulip%21river9@db/x', 'Tulip%21river9', 'Tulip!river9'],
    ['Server=db;User Id=sa;Password=tuliprivers;', 'tuliprivers'],
    ['Bearer tuliprivers', 'tuliprivers'],
    [`Basic ${Buffer.from('bob:tuliprivers').toString('base64')}`, 'tuliprivers'],
  ])('%s: what is secret in it is hidden by itself', (value, ...secrets) => {
    const redactor = createRedactor({ environment: { FOO: value } })
    for (const secret of secrets) expect(redactor.redact(`it said ${secret} then`)).not.toContain(secret)
  })

  test('of great length leave no piece', () => {
    const value = Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(97 + ((at * at) % 26))).join(
      '',
    )
    expect(createRedactor({ known: [value] }).redact(`<${value}>`)).toBe('<[REDACTED:high_entropy]>')
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

test.each([
  ['a member of JSON', '{"user":"bob","password":"plumtree"}'],
  ['a header', 'Authorization: Bearer plumtree'],
  ['a text in quotes', '"plumtree"'],
  ['a connection string', 'Server=h;Uid=x;Pwd=plumtree;'],
])('a password within a value: %s', (_, value) => {
  expect(createRedactor({ environment: { APP_CONFIG: value } }).redact('a plumtree b')).not.toContain(
    'plumtree',
  )
})

test('the password of a login, but not the version of an image', () => {
  const hides = createRedactor({ environment: { BASIC_AUTH: 'bob:plumtree', IMAGE: 'app:appletree' } })
  expect(hides.redact('plumtree appletree')).toBe('[REDACTED:high_entropy] appletree')
})

/** Marks would tell that a guess is right if they named a value of the environment in another way. */
test.each(['Tr0ub4dor&3', 'Abcdefgh12345678Zyxwvu98', `ghp_${fakeText(36)}`])(
  'a value of the environment has the marks of any other one: %s',
  (value) => {
    const knowing = createRedactor({ environment: { SOME_VALUE: value } })
    for (const place of [
      `password: ${value}`,
      `Authorization: Bearer ${value}`,
      `postgres://u:${value}@h/db`,
      `password: ${value}\nx ${value} y`,
      `x ${value} y\npassword = "${value}"`,
      `id,password\n1,${value}`,
      `the password is ${value}.`,
    ]) {
      expect(knowing.redact(place)).toBe(createRedactor().redact(place))
      expect(knowing.find(place).map(({ rule }) => rule)).toEqual(
        createRedactor()
          .find(place)
          .map(({ rule }) => rule),
      )
      expect(knowing.find(place).every(({ isKnown }) => isKnown)).toBe(true)
    }
  },
)
