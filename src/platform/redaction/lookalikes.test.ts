import { describe, expect, test } from 'vitest'
import { fakeText, HEX } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()

describe('what is none stays', () => {
  const hash = `|1|${fakeText(27, 2)}=|${fakeText(27, 3)}=`
  const sealed = `ENC[AES256_GCM,data:${fakeText(40, 4)},iv:${fakeText(43, 5)}=,tag:${fakeText(22, 6)}==,type:str]`
  test.each([
    'implementation("io.jsonwebtoken:jjwt-api:0.12.5")',
    '- io.jsonwebtoken:jjwt-impl',
    `|1|${fakeText(27, 2)}=|${fakeText(25, 3)}PW= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI`,
    `+${hash} ssh-rsa AAAAB3NzaC1yc2E`,
    `known_hosts:3:${hash} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI`,
    `password: ${sealed}`,
    '2026-01-01 install libfoo:amd64 <none> 7.2+dfsg-7+deb12u18+b3',
    'Authorization: Bearer $TOKEN',
    'Authorization: Bearer <token>',
    'Authorization: Bearer {{ token }}',
    'Authorization: Token YOUR_TOKEN',
    "headers['Authorization'] = 'Bearer ' + token",
    'headers: { authorization: `Bearer ${token}` }',
    "'x-api-key': apiKey,",
    'Authorization: Bearer tokens are checked first',
    'see Settings > Authorization > Bearer tokens',
    '| Authorization | Bearer | yes |',
    '| password | string | required |',
    '| auth.password | Password | x |\n| auth.nodeSelector | Labels | x |',
    '`db.password` | Password | `""`\n`db.extraVolumes` | Volumes | `[]`',
    'com-nimbusds-nimbus-jose-jwt = "com.nimbusds:nimbus-jose-jwt:10.9.1"',
    '  passwordSecret: "airflow-cluster1-mysql-password"',
    'newSecretKey("PBKDF2WithHmacSHA256", key)',
    'redis://:<password>@hostname:6379',
    '--initial-cluster-token etcd-cluster-1',
    `Public key: ${fakeText(64, 3, HEX)}`,
    `recipient: age1${fakeText(58, 3, 'qpzry9x8gf2tvdw0s3jn54khce6mua7')}`,
    'Authorization: Bearer getToken()',
    '$options[CURLOPT_USERPWD] = "$value[0]:$value[1]";',
    `Content-Type: multipart/form-data; boundary=${fakeText(32, 9)}`,
    'X-Api-Key: @password@',
    `-age1${fakeText(58, 3, 'qpzry9x8gf2tvdw0s3jn54khce6mua7')}`,
    'user_pwd *srp_get1_by_user(char *name);',
    '* uses PKCS#12 for the password, like HttpSecurity#formLogin',
    'jwt: passport-jwt@4.0.1, a package for passwords',
    'while [ -z ${DB_PASSWORD+x} ]; do mysql+mysqldb://x; done',
    "get 'password' => 'passwords#edit'",
    "headers['Authorization'] = 'Bearer ' + accessToken",
    '| token | the token of the user |',
    'password,login,email',
    'const flags = password&MASK;',
    '#define HMAC_set_key nettle_hmac_sm3_set_key',
    'name    password    role',
    '&quot;Authorization&quot;: &quot;Bearer token&quot;',
    'axios.defaults.headers.common.Authorization = accessToken;',
    'X-Forwarded-Authorization: $http_authorization',
    'auth_header = request.headers.get("Authorization")',
    'authorization -> bearer token',
    '"Authorization" : [ "admin", "viewer" ]',
    'if (req.headers.authorization === undefined) return',
    'WWW-Authenticate: Bearer error="invalid_token"',
    'password: config.password!,',
    'password: changeme',
    'api_key = "your-api-key-here"',
    'SECRET=<insert your secret>',
    'password: somefakepassword',
    `github: ${fakeText(40, 9, HEX)}`,
    '| Option | Token | Default |\n|---|---|---|\n| name | string | none |',
    'import { key, password } from "auth"\nname, something2',
  ])('%s', (line) => expect(redactor.redact(line)).toBe(line))

  test('a password that is an ordinary word is hidden where it is named, and nowhere else', () => {
    const shown = redactor.redact('postgres://app:production@db/x\nin production we test')
    expect(shown).toBe('postgres://app:[REDACTED:url_password]@db/x\nin production we test')
  })

  test('the sign of a diff stays, and its line is judged without it', () => {
    const key = fakeText(40, 7)
    const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${key}\n+password: Tulip9!x\n+  "integrity": "sha512-${fakeText(86, 8)}=="`
    const shown = redactor.redact(diff).split('\n')
    expect(shown.slice(0, 5)).toEqual([
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '-[REDACTED:high_entropy]',
      '+password: [REDACTED:keyword_value]',
    ])
    expect(shown[5]).toBe(diff.split('\n')[5])
  })

  test('long ones are told from passwords in no time', () => {
    for (const piece of ['a', 'aB', 'a-', 'a_b1', 'A.b', 'a+', 'a#'])
      for (const sign of ['@1', '#1', '!x', '^']) {
        const line = `password ${piece.repeat(60 / piece.length)}${sign} `.repeat(50)
        const begun = performance.now()
        redactor.redact(line)
        expect(performance.now() - begun).toBeLessThan(2_000)
      }
  })
})
