import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeText, HEX } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

/** Half of the values of a class are the same in every run, half are new; so many of them have to be gone. */
const RUNS = 300
const SEEDS = [1, Date.now() & 0x7fffffff]
const LEAST = 0.95
const redactor = createRedactor()

const seed = fc.integer({ min: 1, max: 0x7ffffffe })
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const text = (min: number, max: number, alphabet?: string) =>
  fc.tuple(seed, fc.integer({ min, max })).map(([from, length]) => fakeText(length, from, alphabet))
const word = fc.constantFrom(
  ...'River Stone Garden Winter Copper Falcon Secret Pass Token Login Admin Example Sample Here ChangeMe'.split(
    ' ',
  ),
)
const sign = fc.constantFrom('!', '@', '#', '%', '*')
const number = fc.integer({ min: 10, max: 9_999 }).map(String)
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
const uuid = seed.map((from) =>
  [8, 4, 4, 4, 12].map((length) => fakeText(length, from + length, HEX)).join('-'),
)

const signedLetters = joined(text(5, 7, LETTERS), sign, text(5, 7, LETTERS))
const words = joined(word, word, number, sign)
const aroundWord = fc.oneof(
  joined(text(4, 7), sign, word),
  joined(word, sign, text(5, 7)),
  joined(fc.constant('My_'), word, fc.constant('_'), number, sign),
)
const password = fc.oneof(signedLetters, words, aroundWord)

const PLACES = [
  'password: <>',
  '  db_password: <>  # set by hand',
  'password = <>',
  'spring.datasource.password=<>',
  'DB_PASSWORD=<>',
  '{"user":"bob","password":"<>"}',
  "const password = '<>'",
  'tool --password <> status',
  'the password is <>',
  'ERROR login failed, password: <>',
  "CREATE USER bob IDENTIFIED BY '<>';",
  'Server=db;Uid=sa;Pwd=<>;',
  '<password><></password>',
]
const HEADERS = [
  'Authorization: Bearer <>',
  'authorization: token <>',
  '{"Authorization": "Bearer <>"}',
  "curl -H 'Authorization: Token <>' https://host.example",
  'Proxy-Authorization: Bearer <>',
  'X-Api-Key: <>',
  'PRIVATE-TOKEN: <>',
  'X-Auth-Token: <>',
  'headers.set("Authorization", "Bearer <>")',
]

/** The share of values that are gone from their text. */
function share(values: fc.Arbitrary<string>, places: readonly string[]): number {
  const samples = SEEDS.flatMap((from) =>
    fc.sample(fc.tuple(values, fc.constantFrom(...places)), { seed: from, numRuns: RUNS / 2 }),
  )
  const gone = samples.filter(
    ([value, place]) => !redactor.redact(place.replaceAll('<>', () => value)).includes(value),
  )
  return gone.length / samples.length
}

describe(`values that nobody has seen are hidden, seeds ${SEEDS}`, () => {
  test.each([
    ['letters with one sign and no digit', signedLetters],
    ['words, a number and a sign', words],
    ['with a word for a placeholder in them', aroundWord],
  ])('%s', (_, values) => expect(share(values, PLACES)).toBeGreaterThanOrEqual(LEAST))

  test('whatever stands in a header', () => {
    const values = fc.oneof(
      text(22, 22, LETTERS),
      text(8, 40),
      text(12, 12, LETTERS),
      uuid,
      text(32, 32, HEX),
      signedLetters,
    )
    expect(share(values, HEADERS)).toBe(1)
  })

  test('the second time, before and behind the place that tells', () => {
    const values = fc.oneof(words, text(16, 40), text(32, 32, HEX))
    expect(
      share(values, ['password = "<>"\nconnect(<>)', 'tried <>\n\nDB_PASSWORD=<>']),
    ).toBeGreaterThanOrEqual(LEAST)
  })

  test('in columns of tables', () => {
    const tables = [
      'id,password,note\n1,<>,old',
      '| user | API Key |\n|---|---|\n| bob | <> |',
      'user\ttoken\nbob\t<>',
    ]
    expect(share(password, tables)).toBeGreaterThanOrEqual(LEAST)
  })

  test('in JSON within JSON, as often as that was done', () => {
    for (let depth = 1; depth <= 5; depth++) {
      let place = JSON.stringify({ user: 'bob', password: '<>' })
      for (let time = 0; time < depth; time++) place = JSON.stringify({ body: place })
      expect(share(password, [place])).toBeGreaterThanOrEqual(LEAST)
    }
  })

  test('behind an id, and beside the name of a service', () => {
    expect(share(text(40, 40), ['12|<>', 'token: 4711|<>'])).toBeGreaterThanOrEqual(LEAST)
    const services = [
      'datadog: "<>"',
      'export SENDGRID=<>',
      '# twilio <>',
      'stripe_key = <>',
      'heroku.init("<>")',
    ]
    expect(share(fc.oneof(uuid, text(32, 40, HEX)), services)).toBeGreaterThanOrEqual(LEAST)
  })
})

describe(`values that nobody has seen are hidden in other ways of writing, seeds ${SEEDS}`, () => {
  const odd = fc.oneof(
    text(22, 22, LETTERS),
    text(8, 40),
    uuid,
    text(32, 32, HEX),
    joined(word, fc.constant('Harbor'), number),
  )
  test.each([
    'curl -H Authorization:\\ Bearer\\ <> https://host.example',
    "headers['Authorization'] = 'Bearer ' + '<>'",
    'headers={authorization=[Bearer <>], host=[x]}',
    '<Authorization>Bearer <></Authorization>',
    '| Authorization | Bearer <> |',
    '-Authorization: Token <>',
    '{ "key": "Authorization", "value": "Token <>", "type": "text" }',
    'Send Authorization: Bearer <> with each request.',
    'new AuthenticationHeaderValue("Bearer", "<>")',
    'client.get(url).bearer_auth("<>")',
    '<header name="Authorization">Bearer <></header>',
    '<http-header><name>Authorization</name><value>Bearer <></value></http-header>',
    '- name: Authorization\n  value: Bearer <>',
    'authorization:\n  - Bearer <>',
    'Authorization%3A%20Bearer%20<>',
    'Authorization header: Bearer <>',
    'Authorization -> Token <>',
    'HTTP_AUTHORIZATION: Token <>',
    'AUTH_HEADER="Token <>"',
    'X-Forwarded-Authorization: Token <>',
    'client.defaults.headers.common.Authorization = "Token <>"',
    'if (req.headers.authorization === "Token <>") {',
    '*Authorization*: Token <>',
    '&quot;Authorization&quot;: &quot;Token <>&quot;',
    'Authorization&#58; Token <>',
    '"Authorization" : [ "Token <>" ]',
    'Authorization: Bearer: <>',
    String.raw`sent GET / HTTP/1.1\r\nAuthorization: Token <>\r\nAccept: */*\r\n`,
  ])('a header as %s', (place) => expect(share(odd, [place])).toBe(1))

  test.each([
    'User name,Password,Access key ID,Secret access key\nbob,<>,,',
    'user,password\r\nbob,<>\r\n',
    '> | user | password |\n> |---|---|\n> | bob | <> |',
    'COPY users (id, password) FROM stdin;\n1\t<>',
    '# user,password\nbob,<>',
    '| **Service** | **Password** |\n|---|---|\n| db | <> |',
    '| Variable | Value |\n|---|---|\n| `DB_PASSWORD` | `<>` |',
    '| Password | <> |',
    'user,password,note\nbob,<>',
    'key,value\ndb_password,<>',
    '│ user │ password │\n├──────┼──────────┤\n│ bob  │ <> │',
    'USER      PASSWORD\nbob       <>',
    '<tr><td>Password</td><td><></td></tr>',
    'Password\t<>',
  ])('a cell of %s', (place) => expect(share(password, [place])).toBeGreaterThanOrEqual(LEAST))

  test.each([
    'I set the db password to <> yesterday',
    'The password was changed to <>.',
    'use `<>` as the password',
    'try the credentials bob / <>',
    '**Password:** <>',
    'client_secret: <>',
    'SECRET_KEY=<>',
    'passwd is <>',
    'the root password for localhost:5432 is <>',
    'fmt.Println("password", "<>")',
    'if password == "<>":',
    'password (<>)',
    '{:password, "<>"}',
    'Login with password [<>]',
    "page.fill('input[name=password]', '<>')",
    'Content-Disposition: form-data; name="password"\r\n\r\n<>',
    '{"m":"{\\"y\\":\\"export DB_PASSWORD=<>\\\\nls\\"}"}',
    'lftp -u bob,<> host',
    "connect('db','root','<>')",
  ])('given by %s', (place) => expect(share(words, [place])).toBeGreaterThanOrEqual(LEAST))

  test('with a sign that parts the values of an address', () => {
    const values = joined(text(5, 7, LETTERS), fc.constant('&'), text(5, 7, LETTERS))
    const places = [
      'password: <>',
      'DB_PASSWORD=<>',
      'export ADMIN_PASSWORD=<>',
      '  db_password: <>  # set by hand',
    ]
    expect(share(values, places)).toBeGreaterThanOrEqual(LEAST)
  })

  test('small letters with a sign', () => {
    const small = 'abcdefghijklmnopqrstuvwxyz'
    const values = joined(text(5, 7, small), sign, text(4, 6, small))
    const places = [
      '{"password":"<>"}',
      "const password = '<>'",
      'id,password\n1,<>',
      '<password><></password>',
    ]
    expect(share(values, places)).toBeGreaterThanOrEqual(LEAST)
  })

  test('the second time, short ones and such as are words with digits in them', () => {
    const values = fc.oneof(
      joined(fc.constantFrom('test', 'foo', 'here'), number, sign),
      joined(fc.constant('my_7oken_'), number),
      text(12, 12, 'abcdefghijklmnopqrstuvwxyz'),
    )
    expect(
      share(values, ['password = "<>"\nconnect(<>)', 'tried <>\n\nDB_PASSWORD="<>"']),
    ).toBeGreaterThanOrEqual(LEAST)
  })

  test('behind an id, wherever that stands', () => {
    const places = [
      '- 6|<>',
      'Here it is: 48069|<> (copy it)',
      'x(7|<>)',
      'https://x.example/api?token=8|<>',
      'https://x.example/api?token=8%7C<>',
      '<t>7|<></t>',
    ]
    expect(share(fc.oneof(text(32, 48), text(40, 40, HEX)), places)).toBeGreaterThanOrEqual(LEAST)
  })

  test('beside a service in a cell, an element and a text within a text', () => {
    const places = [
      '| Okta | <> |',
      '<mailgun><></mailgun>',
      '<add key="Snyk" value="<>"/>',
      '{"a":"{\\"sonarqube\\":\\"<>\\"}"}',
      'linode: "<>"',
      'honeybadger: "<>"',
      '| npm | <> |',
      'lob: "<>"',
      'const upstash = "<>"',
    ]
    expect(share(fc.oneof(uuid, text(32, 32, HEX)), places)).toBeGreaterThanOrEqual(LEAST)
    expect(share(text(20, 32), ['mailgun <>', '| Okta | <> |', 'pusherKey: <>'])).toBeGreaterThanOrEqual(
      LEAST,
    )
  })

  test('a value of the environment that has short lines, set in, quoted or numbered', () => {
    const hides = createRedactor({ environment: { PIN_BLOCK: 'ab1\ncd2\nef3' } })
    for (const lead of ['  ', '> ', '# ', '12: '])
      expect(hides.redact(`x\n${lead}ab1\n${lead}cd2\n${lead}ef3\ny`)).not.toMatch(/ab1|cd2|ef3/)
    expect(hides.redact('ab1\nother\ncd2')).toBe('ab1\nother\ncd2')
  })
})
