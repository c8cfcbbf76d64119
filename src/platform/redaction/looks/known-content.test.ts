import { describe, expect, test } from 'vitest'
import { fakeText, HEX, UPPER } from '../fixtures/fake-secrets.ts'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const base64 = (length: number, seed = 3) => fakeText(length, seed)
const certificate = `MIIDqDCCApCgAwIBAgIG${base64(44)}`

describe('contents that are known to all', () => {
  test.each([
    `icon = "iVBORw0KGgoAAAANSUhEUg${base64(80)}"`,
    `payload: "H4sIAAAAAAAAA${base64(60)}="`,
    `<img src="data:image/png;base64,iVBORw0KGgo${base64(50)}\n${base64(76, 4)}\n${base64(76, 5)}">`,
    `/9j/4AAQSkZJRgABAQAAAQABAAD\n${base64(76, 6)}\n${base64(76, 7)}`,
    `<ds:X509Certificate>${certificate}</ds:X509Certificate>`,
    `  "${certificate}" +\n  "${base64(64, 8)}" +\n  "${base64(64, 9)}"`,
    `-----BEGIN PGP SIGNATURE-----\nVersion: GnuPG v1.4.5 (GNU/Linux)\n\n${base64(64, 10)}\n=abcd`,
    `{"kty":"EC","crv":"P-256","x":"${base64(43, 11)}","y":"${base64(43, 12)}"}`,
    `      "n": "${base64(342, 13)}",`,
    `Content-Type: multipart/form-data; boundary=----WebKitFormBoundary${base64(16)}`,
    `!m%ilWA(df53q8uGndbV186\`Nobz<p=${base64(24)}=rD$F;it7JXKEsi0U_8ANcRGQfJ0`,
    'GHSA-f3q3-rmf7-9655: access tokens are kept',
    'passwords are hashed with PBKDF2-HMAC-SHA256',
    'dh_kem: DH_KEM_P521_HKDF_SHA512,',
    'const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"',
    "alphabet = 'ybndrfg8ejkmcpqxot1uwisza345h769'",
    '_ZN4auth12TokenService7refreshERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE',
    `/run/user/1000/gnupg/d.${fakeText(24, 3, HEX)}z9q/S.gpg-agent`,
    't0 = _mm256_unpackhi_epi64(m6, m0);',
    'host = xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa',
    'public static final field BASIC Lokhttp3/logging/HttpLoggingInterceptor$Level;',
    'at Routes$$anonfun$routes$1$$anonfun$applyOrElse$1$$anonfun$apply$1.apply(routes.scala:69)',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))

  test('what follows other lines than their own is hidden', () => {
    const secret = base64(64, 14)
    for (const text of [`icon = "iVBORw0KGgo${base64(80)}"\nx = 1\n${secret}`, `-----\n${secret}`]) {
      expect(redactor.redact(text)).not.toContain(secret)
    }
  })

  test('a name that calls it a secret is stronger', () => {
    for (const text of [`secret = "H4sIA${base64(60)}="`, `api_key: "${fakeText(40, 3, UPPER)}"`]) {
      expect(redactor.redact(text)).toContain('[REDACTED:')
    }
  })
})

describe('ids that the hub gives', () => {
  // Of one in a thousand the letters fall so that they look like more than hexadecimal chance.
  test.each(['fdcd4e6aee6f48f41bbae2cf', 'c8c1aa0b3cfd752aaaab932c', 'b667afdc8db9daefc66d7cdf'])(
    'stay readable, however their letters fell: %s',
    (hex) => {
      const text = `record:conn_${hex}/notes/one`
      expect(redactor.redact(text)).toBe(text)
    },
  )

  test('are known by names of ours alone', () => {
    expect(redactor.redact('record:rnmx_fdcd4e6aee6f48f41bbae2cf')).toContain('[REDACTED:')
  })
})

describe('names that stand where a value might', () => {
  test.each([
    '  secret: Sinatze-sekretua',
    'sign_in_token_attempt: Innloggingsnykel',
    'max_prompt_tokens: "Konteksti-ikkuna"',
    '"NEW_SECRET": "Cli secret 必须超过8个字符，并至少包含1个大写字母，1个小写字母和1个数字。",',
    'pub master_secret: PayloadU8,',
    'def jwtCodec: JWTCookieDataCodec',
    '  WebhookKey = _defaultWebhookKey,',
    'ACCESS_TOKEN_UPDATE_FREQUENCY = 24.hours.freeze',
    "'password' => 'required|string|min:8|confirmed',",
    '"zendframework/zend-session": ">=2,<2.2.9|>=2.3,<2.3.4",',
    'CONTEXT7_API_KEY = "{env:CONTEXT7_API_KEY}"',
    '\'Crypto-Key\' => "dh=#{encode(payload)};#{header}"',
    "key: 'ap-southeast-1-vpc',",
    'const flag = { sdkPassword: "pm-19976-use-sdk-password-generators" }',
    'get "/activate/:token" => "users#activate_account"',
    'my $token = $view->csrf_token;',
    ' password varchar(128),',
    "UPDATE users SET password_version = 'sha1';",
    `oktaKey = ${'0'.repeat(35)}TUVWXYZ`,
    '&hf_servingcellpriorityparametersdescription_h_prio',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))
})
