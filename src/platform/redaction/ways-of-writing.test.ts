import { describe, expect, test } from 'vitest'
import { fakeText, HEX, LOWER } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()
const random = fakeText(32, 5, LOWER)
const half = fakeText(20, 8)
const hex = fakeText(32, 6, HEX)
const chosen = ['Sommer', '2024!'].join('')
const letters = ['XMDfk', 'UexcWAw'].join('')
const words = ['value with', 'several plain parts'].join(' ')

function hides(text: string, ...secrets: string[]): void {
  const shown = redactor.redact(text)
  for (const secret of secrets) expect(shown).not.toContain(secret)
}

describe('secrets written in other ways', () => {
  test.each([
    ['in another language', `wachtwoord: ${chosen}`],
    ['in another language', `heslo=${chosen}`],
    ['with accents', `hasło: ${chosen}`],
    ['with accents', `lösenord=${chosen}`],
    ['in another script', `Пароль = "${chosen}"`],
    ['in another script', `パスワード: ${chosen}`],
    ['with a wide colon', `密码：${chosen}`],
    ['for a web page', `&quot;password&quot;:&quot;${chosen}&quot;`],
    ['for an address', `next=/login%3Fpassword%3D${chosen}%26user%3Dbob`],
    ['for a script', `"{\\u0022password\\u0022:\\u0022${chosen}\\u0022}"`],
    ['in a build file', `    storePassword "${chosen}"`],
    ['in an array', `char password[33] = "${chosen}";`],
    ['in a row of a table', `INSERT INTO users (login, password) VALUES ('bob', '${chosen}');`],
    ['to a function', `UPDATE user SET x=PASSWORD('${chosen}')`],
    ['as letters alone', `password=${letters}`],
    ['as several words', `password = "${words}"`],
    ['with a word in it', `<passphrase>Mon${'key1959#'}</passphrase>`],
    ['after a short flag', `keytool -genkey -storepass ${chosen}`],
    ['after joined words', `dockerpass=${chosen}`],
    ['after joined words', `sendgridkey=${hex}`],
    ['by Bundler', `BUNDLE_GEMS__EXAMPLE__COM: "${hex.slice(0, 8)}:${hex.slice(8, 16)}"`],
  ])('%s: %s', (_, text) => {
    const finding = redactor.find(text).at(-1)
    expect(finding?.rule).toBe('keyword_value')
    hides(text, [chosen, letters, words, hex, 'key1959#'].find((secret) => text.includes(secret)) ?? hex)
  })

  test.each(['&', ',', ';', "'", '`'])('to the end of a line of settings, with %s in it', (sign) => {
    const value = `${chosen}${sign}x9`
    for (const before of ['DB_PASSWORD=', 'export DB_PASSWORD=', '+DB_PASSWORD=', 'db.password='])
      for (const after of ['', ' ', ';'])
        expect(redactor.redact(before + value + after)).toBe(`${before}[REDACTED:keyword_value]${after}`)
    expect(redactor.redact(`password=${value}&user=bob`)).toBe('password=[REDACTED:keyword_value]&user=bob')
  })

  test.each(['jwt', 'keyword_value'])('beside a mark of %s, whoever wrote it there', (rule) => {
    const mark = `[REDACTED:${rule}]`
    const rest = '[REDACTED:keyword_value]'
    expect(redactor.redact(`password = "${chosen}${mark}"`)).toBe(`password = "${rest}${mark}"`)
    expect(redactor.redact(`password = "${mark}${chosen}"`)).toBe(`password = "${mark}${rest}"`)
    expect(redactor.redact(`DB_PASSWORD=${chosen}${mark}${chosen}`)).toBe(`DB_PASSWORD=${rest}${mark}${rest}`)
    expect(redactor.redact(`password = "${mark}${mark}"`)).toBe(`password = "${mark}${mark}"`)
  })

  test('in every row of a statement', () => {
    hides(
      `insert into api_keys (id, api_key, note) values (1, '${random}', 'a'), (2, '${half}', 'it''s b')`,
      random,
      half,
    )
  })

  test('over several lines', () => {
    hides(`const apiKey = "${half}" +\n  "${random}" +\n  "${hex}"`, half, random, hex)
    hides(`TOKEN = ("${half}"\n         "${random}")`, half, random)
  })

  test.each([
    ['login_flag', `zip -P ${chosen} out.zip file`],
    ['login_flag', `sqlcmd -S db -U sa -P ${chosen}`],
    ['login_flag', `http -a bob:${chosen} GET https://host.example`],
    ['login_flag', `sqlplus scott/${chosen}@orcl`],
    ['login_flag', `echo '${chosen}' | sudo -S apt update`],
    ['login_flag', `curl -X POST https://host.example \\\n  -u bob:${chosen}`],
    ['login_call', `requests.get(url, auth=('bob', '${chosen}'))`],
    ['login_call', `request.SetBasicAuth("bob", "${chosen}")`],
    ['login_directive', `crypto isakmp key ${chosen} address 192.0.2.1`],
    ['sql_password', `CREATE ROLE app LOGIN PASSWORD '${chosen}';`],
    ['spoken_secret', `Default credentials: admin / ${chosen}`],
    ['spoken_secret', `#${random} is the password`],
    ['url_password', `sql.Open("mysql", "root:${chosen}@tcp(db:3306)/app")`],
    ['saml_response', `SAMLResponse=${Buffer.from(`<r>${random}</r>`).toString('base64')}`],
  ])('%s: %s', (rule, text) => {
    expect(redactor.find(text).map((finding) => finding.rule)).toEqual([rule])
    hides(text, chosen, random)
  })
})

describe('what is only written like them', () => {
  test.each([
    'password=Salasana',
    'mot de passe : obligatoire',
    '密码：必填',
    '"password" = "Пароль";',
    '&quot;password&quot;:&quot;&quot;',
    'redirect=%2Flogin%3Ftoken%3D%24TOKEN',
    'jwt "github.com/golang-jwt/jwt/v5"',
    "INSERT INTO users (login, password) VALUES ('bob', ?)",
    "INSERT INTO pages (id, title) VALUES (1, 'Password reset v2')",
    'password = "the field is required here"',
    'bypass=Route66now',
    `turkey = ${hex}`,
    'tar -cpzf out.tgz',
    'http -a GET',
    'DB_PASSWORD=\nDB_PORT=5432',
    'const label = "password" +\n  "somethingelse2"',
    'PBKDF2SHA256 is the password hash of version 2',
    'import("auth-helpers", "v2")',
    'ecto://USER:PASS@HOST/DATABASE',
    '"http://127.0.0.1:#{@port}/path"',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))
})
