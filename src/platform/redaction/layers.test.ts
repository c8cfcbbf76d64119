import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeText, HEX, LOWER } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()
const random = fakeText(32, 5, LOWER)
const hex = fakeText(32, 6, HEX)
const chosen = ['Sommer', '2024'].join('')

describe('structures', () => {
  const basic = Buffer.from(`bob:${chosen}`).toString('base64')
  test.each([
    ['url_password', `postgres://bob:${chosen}@db:5432/x`, chosen],
    ['url_password', `redis://:p@ss/${chosen}@cache:6379`, chosen],
    ['url_password', `https://${hex}@errors.example.org/1`, hex],
    ['auth_header', `Authorization: Token ${hex}`, hex],
    ['auth_header', `headers: {'authorization': 'Bearer ${random}'}`, random],
    ['auth_header', `Basic ${basic}`, basic],
    ['login_flag', `curl -u bob:${chosen} http://a`, chosen],
    ['login_flag', `sshpass -p '${chosen}' ssh a`, chosen],
    ['netrc_password', `machine a login bob password ${chosen}`, chosen],
    ['sql_password', `IDENTIFIED BY '${chosen}'`, chosen],
    ['spoken_secret', `the token ${hex} was used`, hex],
    ['kubernetes_secret', `apiVersion: v1\nkind: Secret\ndata:\n  user: ${basic}\n`, basic],
    ['kubernetes_secret', `apiVersion: v1\ndata:\n  user: ${basic}\nkind: Secret`, basic],
    ['kubernetes_secret', `{"apiVersion":"v1","data":{"a":"${basic}"},"kind":"Secret"}`, basic],
  ])('%s in %s', (rule, text, secret) => {
    expect(redactor.redact(text)).toBe(
      text.replace(
        text.slice(redactor.find(text)[0]?.start, redactor.find(text)[0]?.end),
        `[REDACTED:${rule}]`,
      ),
    )
    expect(redactor.redact(text)).not.toContain(secret)
  })

  test.each([
    'http://localhost:5000/a@b',
    'https://bob:${PASSWORD}@host/',
    'git@github.com:a/b.git',
    'Authorization: Bearer ${token}',
    'A basic HTTP/1.1 client with Bearer authentication',
    'curl -u "$USER:$PASSWORD" http://a',
    'docker run -u 1000:1000 image',
    'the password must be changed',
    'apiVersion: v1\nkind: ConfigMap\ndata:\n  mode: cHJvZHVjdGlvbg==',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))
})

describe('names and values', () => {
  test.each([
    `password = "${chosen}"`,
    `  password: ${chosen}`,
    `export DB_PASSWORD=${'sword'}fish`,
    `{"clientSecret":"${random}"}`,
    `{\\"clientSecret\\":\\"${random}\\"}`,
    `var apiToken string = "${random}"`,
    `const apiToken: string = '${random}'`,
    `System.setProperty("API_TOKEN", "${random}")`,
    `apiToken,${random},`,
    `<apiToken>${random}</apiToken>`,
    `<entry name="apiToken" value="${random}" />`,
    `- name: API_TOKEN\n  value: ${random}`,
    `api_token: |\n  ${random}`,
    `<apiToken>\n    ${random}\n</apiToken>`,
    `app --api-token ${random}`,
    `https://a.example/?api_token=${random}&b=c`,
    `if (apiKey === "${random}") {`,
    `if ("${random}" == apiKey) {`,
    `Server=db;User Id=sa;Password=${chosen};`,
    `HEROKU_KEY="${[8, 4, 4, 4, 12].map((length) => fakeText(length, length, HEX)).join('-')}"`,
    `session_id_token = ${hex}`,
  ])('hidden in %s', (text) => expect(redactor.find(text).map(({ rule }) => rule)).toEqual(['keyword_value']))

  test.each([
    'password: string',
    'token = getCookie(ctx, options.cookie)',
    "const tokenParts = token.split('.')",
    'password = "${aws_db_instance.default.password}"',
    'GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}',
    'password = ""',
    'api_key = "insert_key_here"',
    "password: 'Enter your password'",
    'max_tokens: 4096',
    `secret_name = "production-database"`,
    `publicKey = "${random}"`,
    'primaryKey: "a1b2c3d4"',
    `tokenHash: ${hex}`,
    'key_length = XSalsa20.key_length',
    `invalidToken = "${random.slice(0, 12)}"`,
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))
})

describe('names that programs make up', () => {
  const words = fc
    .array(fc.constantFrom('sandbox', 'run', 'git', 'tools', 'server', 'worker', 'knowtation', 'cli'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join('-'))
  const tail = fc.stringMatching(/^[A-Za-z0-9]{6}$/)

  test('a temporary folder or a pod is no secret, wherever it is named', () => {
    fc.assert(
      fc.property(words, tail, (name, chance) => {
        for (const text of [`folder: ${name}-${chance}`, `"path": "/tmp/${name}-${chance}"`]) {
          expect(redactor.redact(text)).toBe(text)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('long chance after words, or chance before a short tail, is one', () => {
    for (const secret of [`knowtation-tools-${random}`, `${fakeText(40, 3)}-ab12Cd`]) {
      expect(redactor.redact(`folder: ${secret}`)).not.toContain(secret)
    }
  })
})
