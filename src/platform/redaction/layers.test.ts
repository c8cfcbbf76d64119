import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeText, HEX, LOWER, UPPER } from './fixtures/fake-secrets.ts'
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
    `ENV API_TOKEN ${random}`,
    `set -gx API_TOKEN ${random}`,
    `variable "api_token" {\n  type = string\n  default = "${random}"\n}`,
    `props.put("password", "${chosen}")`,
    `user.setPassword("${chosen}")`,
    `<property name="db.password">${chosen}</property>`,
    `<add key="RavenKey" value="${hex}" />`,
    `password=${chosen}$`,
    `cert_private_key = ${hex}`,
    `psk="${chosen}"`,
    `contraseña: ${chosen}`,
    `secret_token: ${hex.slice(0, 8)}:${hex.slice(8, 16)}`,
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
    'tfa_secret: Kaksivaiheinen todennus',
    'return {passKeys:t.passKeys!==!1,token=token%2Bwith%2Bplus}',
    `Cache restored from key: node-cache-Linux-npm-${hex}${hex}`,
    'docker login --password-stdin 1234.dkr.ecr.us-east-1.example.com',
    '"next-auth": "npm:next-auth@^4.24.11"',
    `SHA256 (auth-key.tgz) = ${hex}${hex}`,
    `image: registry.example/auth:${hex}`,
    `arn:aws:secretsmanager:us-east-1:123456789012:secret:worker-${random.slice(0, 6)}`,
    `nextToken: ${random}${random}`,
    `deploy_key: "ssh-rsa AAAAB3NzaC1yc2E${random} bob@host"`,
    `Sec-WebSocket-Key: ${fakeText(22, 4)}==`,
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))
})

describe('what looks made by chance and is known to all', () => {
  const base64 = fakeText(43, 12)
  const pem = ['-----BEGIN CERTIFICATE-----', fakeText(64, 13), fakeText(64, 14), '-----END CERTIFICATE-----']
  test.each([
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64} bob@host`,
    `|1|${fakeText(27, 2)}=|${fakeText(27, 3)}= ssh-rsa AAAAB3NzaC1yc2E${base64}`,
    `v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB${base64}`,
    `const root = "${pem.join('\\n')}"`,
    `etag: W/"4f2a-${fakeText(27, 3)}"`,
    `pin "sha256/${base64}="`,
    `/nix/store/${fakeText(32, 5, LOWER)}-tool-1.2/bin/tool`,
    `arn:aws:iam::123456789012:role/tool-server-${fakeText(12, 6, UPPER)}`,
    `--lookup=01${fakeText(24, 7, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')}`,
    `"id": "${fakeText(24, 8, LOWER)}"`,
    `"paymentIntent": "pi_${fakeText(24, 9)}"`,
    `Reply to <${fakeText(24, 23)}@mail.example>`,
    `<meta name="google-site-verification" content="${base64}" />`,
    `script-src 'nonce-${fakeText(22, 11)}=='`,
    'constexpr bool has = _GLIBCXX_SIMD_HAVE_AVX512VNNI;',
    'public class okhttp3/dnsoverhttps/DnsOverHttps$Builder {',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))

  test('what a client is made with is hidden', () => {
    expect(redactor.redact(`api = StravaClient("${fakeText(32, 6, LOWER)}")`)).toContain('[REDACTED:')
  })
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
