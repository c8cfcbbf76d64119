import { request } from 'node:http'

/** One request that is made to cost as much as it may. */
export interface Hostile {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const MIB = 1_048_576
const JSON_TYPE = { 'content-type': 'application/json' }

/** Repeats a piece, with commas between, until a body of the largest size is full. */
function filled(open: string, piece: (at: number) => string, close: string): string {
  const pieces: string[] = []
  let left = MIB - open.length - close.length - 32
  for (let at = 0; left > 0; at++) {
    const one = piece(at)
    left -= one.length + 1
    if (left >= 0) pieces.push(one)
  }
  return open + pieces.join(',') + close
}

/** Bodies of a mebibyte that are slow to read for a reader who reads all of them. */
const SLOW_JSON: readonly (readonly [string, string])[] = [
  ['as many keys as fit', filled('{', (at) => `"${at.toString(36)}":1`, '}')],
  ['as many escaped keys as fit', filled('{', (at) => `"\\u0061${at.toString(36)}":1`, '}')],
  ['as many powers of ten as fit', filled('{"a":[', () => '1e1', ']}')],
  ['as many nested lists as fit', filled('{"a":[', () => '['.repeat(60) + ']'.repeat(60), ']}')],
  ['as many empty objects as fit', filled('{"a":[', () => '{}', ']}')],
  [
    'all the keys that are taken',
    `{${Array.from({ length: 9_990 }, (_, at) => `"${at.toString(36)}":1`).join()}}`,
  ],
  ['all the numbers that are taken', `{"a":[${Array(9_990).fill('1.5e1').join()}]}`],
  ['one string of escapes', `{"a":"${'\\"'.repeat(MIB / 2 - 8)}"}`],
]

const post = (name: string, path: string, type: string, body: string): Hostile => ({
  name,
  method: 'POST',
  path,
  headers: type === '' ? {} : { 'content-type': type },
  body,
})

const MULTIPART = 'multipart/form-data; boundary=b'
const PART = 'content-disposition: form-data; name="a"'
const MANY_PARTS = `--b\r\n${`${PART}\r\n\r\nx\r\n--b\r\n`.repeat(80_000)}--b--`
const LONG_HEAD = `--b\r\n${PART}${'; x=1'.repeat(1_000_000)}\r\n\r\nx\r\n--b--`

const FORM = 'application/x-www-form-urlencoded'
const REDIRECT = { redirect_uris: ['http://127.0.0.1:9/x'], token_endpoint_auth_method: 'none' }

/** What a program that wants to sign in may send, none of it more than visitors may. */
function signInRequests(): Hostile[] {
  const register = (name: string, about: object) =>
    post(`a registration with ${name}`, '/oauth/register', 'application/json', JSON.stringify(about))
  const keys = Array.from({ length: 800 }, () => ({ kty: 'RSA', n: 'AQAB', e: 'AQAB' }))
  const redirect_uris = Array.from({ length: 2_000 }, (_, at) => `http://127.0.0.1:9/${at}`)
  const unknown = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [at.toString(36), 1]))
  return [
    register('many addresses', { ...REDIRECT, redirect_uris }),
    register('many keys', { ...REDIRECT, jwks: { keys } }),
    register('many scopes', { ...REDIRECT, scope: 'a '.repeat(30_000) }),
    register('many unknown words', unknown),
    ...['token', 'device_authorization', 'introspect', 'revoke'].flatMap((door) => [
      post(`one long field, to ${door}`, `/oauth/${door}`, FORM, `client_id=x&token=${'%41'.repeat(21_000)}`),
      post(`many scopes, to ${door}`, `/oauth/${door}`, FORM, `client_id=x&scope=${'a+'.repeat(32_000)}`),
    ]),
    {
      ...post('a request of many scopes', `/oauth/authorize?client_id=x&scope=${'a+'.repeat(7_000)}`, '', ''),
      method: 'GET',
    },
  ]
}

/** What somebody without a credential may send. */
export function strangersRequests(): Hostile[] {
  return [
    ...signInRequests(),
    ...SLOW_JSON.flatMap(([name, body]) => [
      post(`${name}, to a page`, '/owner/sign-in', 'application/json', body),
      post(`${name}, to no address`, '/nowhere', 'application/json', body),
      post(`${name}, to a passkey`, '/owner/passkey/sign-in', 'application/json', body),
      post(`${name}, to an operation`, '/api/v1/tokens', 'application/json', body),
      post(`${name}, to MCP`, '/mcp', 'application/json', body),
    ]),
    post('a form of many fields', '/owner/sign-in', FORM, '&a='.repeat(21_000)),
    post('a form of many parts', '/owner/sign-in', MULTIPART, MANY_PARTS),
  ]
}

const called = (body: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":${body}}}`

/** What may be sent in the owner's own browser. */
export function ownersRequests(headers: Readonly<Record<string, string>>): Hostile[] {
  const all = [
    ...SLOW_JSON.map(([name, body]) => post(name, '/v1/owner/connections/intents', 'application/json', body)),
    post('a form of many parts', '/owner/sign-in', MULTIPART, MANY_PARTS),
    post('a form with a long head', '/owner/password', MULTIPART, LONG_HEAD),
    ...['audit?operation=nothing', 'audit/verify', 'doctor'].map((path) => ({
      ...post(path, `/api/v1/${path}`, 'text/plain', ''),
      method: 'GET',
    })),
  ]
  return all.map((one) => ({ ...one, headers: { ...one.headers, ...headers } }))
}

/** What the holder of a credential may send. */
export function holdersRequests(bearer: string): Hostile[] {
  const authorization = `Bearer ${bearer}`
  const headers = { ...JSON_TYPE, authorization }
  const mcp = { ...headers, accept: 'application/json, text/event-stream' }
  return [
    ...SLOW_JSON.flatMap(([name, body]): Hostile[] => [
      { name: `${name}, to an operation`, method: 'POST', path: '/api/v1/tokens', headers, body },
      {
        name: `${name}, to MCP`,
        method: 'POST',
        path: '/mcp',
        headers: mcp,
        body: called(body).slice(0, MIB),
      },
    ]),
    {
      name: 'the list of tools',
      method: 'POST',
      path: '/mcp',
      headers: mcp,
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
  ]
}

export interface Timed {
  readonly status: number
  readonly ms: number
}

/** Sends a request and takes its time. A hub that hangs up on it counts as an answer. */
export function sendTimed(
  url: string,
  { method, path, headers, body }: Omit<Hostile, 'name'>,
  host?: string,
): Promise<Timed> {
  const { hostname, port } = new URL(url)
  const began = performance.now()
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all = { ...headers, ...length, ...(host && { host }), connection: 'close' }
  return new Promise((resolve) => {
    const end = (status: number) => resolve({ status, ms: performance.now() - began })
    const sent = request({ hostname, port, method, path, headers: all, agent: false }, (response) => {
      response.resume().on('end', () => end(response.statusCode ?? 0))
      response.on('error', () => end(0))
    })
    sent.on('error', () => end(0))
    sent.end(body)
  })
}
