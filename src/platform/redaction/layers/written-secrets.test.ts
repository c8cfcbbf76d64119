import { describe, expect, test } from 'vitest'
import { fakeText, HEX, LOWER } from '../fixtures/fake-secrets.ts'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const random = fakeText(24, 5, LOWER)
const hex = fakeText(32, 6, HEX)
const uuid = [8, 4, 4, 4, 12].map((length) => fakeText(length, length, HEX)).join('-')
const chosen = ['Sommer', '2024!'].join('')
const phrase = 'river stone cloud winter silver garden table purple dragon coffee rocket horse'

describe('commands and directives', () => {
  test.each([
    ['login_flag', `mysql -h db -u root -p${chosen} app`, chosen],
    ['login_flag', `docker login -u bob -p ${chosen} registry`, chosen],
    ['login_flag', `redis-cli -h cache -a ${random} ping`, random],
    ['login_flag', `ldapsearch -x -D cn=admin -w ${random} -b dc=x`, random],
    ['login_flag', `openssl rsa -in k.pem -passin pass:${random} -out o`, random],
    ['login_flag', `smbclient //srv/share -U bob%${random}`, random],
    ['login_flag', `htpasswd -b /etc/htpasswd bob ${random}`, random],
    ['login_flag', `echo "root:${chosen}" | chpasswd`, chosen],
    ['login_flag', `ConvertTo-SecureString "${chosen}" -AsPlainText`, chosen],
    ['login_call', `new NetworkCredential("bob", "${chosen}")`, chosen],
    ['login_call', `mysqli_connect('db', 'root', '${chosen}', 'app')`, chosen],
    ['login_call', `if (!ldap.authenticate("bob", "${chosen}")) return`, chosen],
    ['login_call', `await login('bob@corp.example', '${chosen}')`, chosen],
    ['login_call', `jwt.sign(payload, '${random}')`, random],
    ['login_directive', `requirepass ${random}`, random],
    ['login_directive', `username admin password 7 ${hex}`, hex],
    ['login_directive', `db.corp.local:5432:app:bob:${random}`, random],
    ['url_password', `jdbc:oracle:thin:scott/${chosen}@db:1521`, chosen],
    ['url_password', `https://bob:${random}@@host/`, `${random}@`],
    ['sql_password', `CREATE USER bob WITH PASSWORD '${chosen}'`, chosen],
    ['spoken_secret', `The password is ${chosen}`, chosen],
    ['spoken_secret', `Your access token is \`${uuid}\``, uuid],
    ['spoken_secret', `calling the service with key ${random}`, random],
    ['recovery_phrase', `mnemonic: "${phrase}"`, phrase],
    ['session_cookie', `Cookie: theme=dark; ASP.NET_SessionId=${random}`, random],
    ['netrc_password', `  password ${chosen}`, chosen],
  ])('%s in %s', (rule, text, secret) => {
    expect(redactor.redact(text)).toBe(text.replace(secret, () => `[REDACTED:${rule}]`))
  })

  test.each([
    'mkdir -p build/output',
    'docker run -p 8080:8080 image',
    'docker login -u bob -p "$PASSWORD"',
    'The password is required and must be changed',
    'the token is expired',
    'function isKey(key: Key): key is PublicKeyEC2',
    `Using key ${fakeText(16, 6, HEX).toUpperCase()} to verify the signature`,
    `message with key ${uuid} was sent`,
    'requirepass <password>',
    'htpasswd -niBC 10 cerbos | cut -f 2',
    'the token is `access_token` and the key is `primary_key_2`',
    'the partition with key order-service-events-v2',
    "log in as 'user' with password 'pass'",
    'Cookie: theme=dark; session=',
    'new PDO($dsn, $user, $password)',
    "login('user', 'password')",
    'authenticate("google-oauth2", "callback_url")',
  ])('nothing in %s', (text) => expect(redactor.redact(text)).toBe(text))
})

test('a private key is gone from an address as well', () => {
  const body = fakeText(64, 9)
  const text = `key=-----BEGIN+PRIVATE+KEY-----%0A${body}%0A${body}%3D%0A-----END+PRIVATE+KEY-----`
  expect(redactor.redact(text)).not.toContain(body.slice(0, 12))
})
