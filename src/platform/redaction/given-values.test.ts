import { describe, expect, test } from 'vitest'
import { fakeText, HEX } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()
const hex = fakeText(32, 6, HEX)
const chosen = ['Sommer', '2024!'].join('')
const plain = ['letus', 'cook'].join('')
const padded = `${fakeText(22, 4)}==`
const salt = ['Q$:B]zZj', 'N-AdT<>h7V1.vm+k^|}2wV', 'Zf]Xw#QEZ[-pS'].join('')
const token = `sk-${hex}`
const uuid = ['BC594900', '518B', '4F7E', 'AC75', 'BD37F019E08F'].join('-')

describe('what is given in ways of other sources', () => {
  test.each([
    ['after a colour', `\u001b[32m${token}\u001b[0m`, token],
    ['after a colour in JSON', `{"line":"\\u001b[32m${token}\\u001b[0m"}`, token],
    ['between colours', `\u001b[36mDB_PASSWORD\u001b[0m=\u001b[33m${chosen}\u001b[0m`, chosen],
    ['where nothing else is set', `const pass = process.env.DB_PASSWORD || '${chosen}'`, chosen],
    ['where nothing else is set', `PASSWORD = os.environ.get("PASSWORD") or "${chosen}"`, chosen],
    ['as bytes', `key := []byte("${padded}")`, padded],
    ['as bytes', `cookies.setCipherKey(Base64.decode("${padded}"));`, padded],
    ['as bytes', `const secretKey = createSecretKey(Buffer.from('${hex}', 'hex'))`, hex],
    ['in quotes twice', `buildConfigField "String", "API_KEY", "\\"${hex}\\""`, hex],
    ['in three quotes', `password = """${chosen}"""`, chosen],
    ['by a directive', `#define password "${chosen}"`, chosen],
    ['by a directive', `setenv DB_PASSWORD ${chosen}`, chosen],
    ['by a directive', `set $apikey ${hex};`, hex],
    ['to a short name', `X3_PSWD=${chosen}`, chosen],
    ['to a name of two words', `API key: ${hex.slice(0, 16)}`, hex.slice(0, 16)],
    ['to a name in something made up', `scope.passwordMock.password = '${chosen}'`, chosen],
    ['as a plain word in quotes', `password: "${plain}",`, plain],
    ['as a plain word of a setting', `-e MYSQL_PASSWORD=${plain}x \\`, `${plain}x`],
    ['as a UUID in capitals', `"access_token": "${uuid}"`, uuid],
    ['as base64 that begins like a path', `secret = "/${fakeText(39, 5)}"`, fakeText(39, 5)],
    ['as a salt', `define('NONCE_KEY', '${salt}');`, salt],
    ['in a list', `passwords:\n  - "${chosen}"\n  - ${chosen}9`, `${chosen}9`],
  ])('%s: %s', (_, text, secret) => {
    expect(redactor.redact(text)).not.toContain(secret)
  })

  test.each([
    ['sql_password', `ALTER USER bob IDENTIFIED BY ${chosen};`],
    ['sql_password', `ALTER USER 'a'@'b' IDENTIFIED WITH mysql_native_password BY '${chosen}';`],
    ['sql_password', `CREATE ROLE app WITH LOGIN PASSWORD ${chosen};`],
    ['login_call', `new DirectoryEntry("LDAP://host.example", "bob", "${chosen}")`],
    ['login_flag', `ssh-keygen -t rsa -N '${chosen}' -f out`],
    ['login_flag', `openssl enc -aes-256-cbc -k ${chosen} -in file`],
    ['url_password', `https://bob@mail.example:${chosen}@host.example`],
  ])('%s: %s', (rule, text) => {
    expect(redactor.find(text).map((finding) => finding.rule)).toEqual([rule])
    expect(redactor.redact(text)).not.toContain(chosen)
  })

  test('colours stay where they are', () => {
    const text = `\u001b[1mdone\u001b[0m ${token} \u001b[2mend\u001b[0m`
    expect(redactor.redact(text)).toBe(text.replace(token, '[REDACTED:openai_key]'))
  })
})

describe('what other sources have and is none', () => {
  test.each([
    '"author":{"login":"jacquev6","id":327146}',
    '"key": "columns1",',
    'System.Web, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b03f5f7f11d50a3a',
    '{"username": "\'$DOCKER_USERNAME\'", "password": "\'$DOCKER_PASSWORD\'"}',
    'const ResetPasswordAction = "ResetPassword"',
    'RESET_OS_PASSWORD="resetOSPassword.sh"',
    "googleApiKey: 'google-api-key'",
    'mysql -h10.0.0.1 -P3306 -uroot -p',
    'docker run --name cloud-mongo -p 27017:27017 -d mongo:7',
    '"Basic (login and password removed)"',
    "GRANT ALL ON *.* TO 'x'@'%' IDENTIFIED BY '数据库用户名的密码';",
    "decryptKeyManagement('ECDH-ES+A128KW', undefined)",
    "form.reset('password', 'password_confirmation')",
    'pip3 install --user https://tools.example/compose/archive/main.tar.gz',
    'val endpoint: ServerEndpointRecipe = PekkoHttp11Plaintext',
    "'credentialPublicKey' => 'oWNrZXlldmFsdWU=',",
    "'password' => 'wachtwoord',",
    'managers of passwords such as `pass` or `gopass` are fine',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))

  test('a signature is public whatever its headers say', () => {
    const lines = [
      '-----BEGIN PGP SIGNATURE-----',
      'Version: OpenPGP.js v3.0.4',
      'Comment: https://openpgpjs.org',
    ]
    const body = [fakeText(60, 3), fakeText(60, 4), '-----END PGP SIGNATURE-----']
    const text = `"npm-signature": "${[...lines, '', ...body].join('\\r\\n')}"`
    expect(redactor.redact(text)).toBe(text)
  })
})
