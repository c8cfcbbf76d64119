import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import BetterSqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HubProcess, runProgram, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { IS_LONG, printTable, told } from './fault-home.fixture.ts'

printTable()
/** So many requests are sent to each address with each method. */
const TIMES = IS_LONG ? 12 : 2
const AT_ONCE = 8
/** A name under which a hub is reached from elsewhere. */
const HOSTED = 'api.knowtation.store'
/** What strangers together may have recorded at once, and a few for the minutes that this takes. */
const BUDGET = 26

const at = temporaryHome()
let hub: HubProcess
beforeAll(async () => {
  hub = await spawnHub({ home: at.home.folder })
})
afterAll(async () => {
  await hub.end('SIGTERM')
  at[Symbol.dispose]()
})

interface Attempt {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Document {
  paths: Record<string, Record<string, unknown>>
}

/** All that the hub says it serves, and what it serves besides. */
function addresses(): [string, string][] {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document
  const said = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path]),
  )
  const forms = [
    'sign-in link set-up hand-over sign-out password sessions/end locks connections/x passkey/challenge',
    'passkey/register passkey/sign-in proposals/x/approve intents/x',
  ].flatMap((names) => names.split(' ').map((name) => `/owner/${name}`))
  const others = [
    '/device/approve /device/deny /oauth/device_authorization /oauth/token /oauth/introspect /oauth/revoke /mcp',
    '/api/v1/tools/nothing /nowhere /v1/owner/nowhere /_ref/runs/x/cancel',
  ].flatMap((some) => some.split(' '))
  const gets = [
    '/',
    '/device',
    '/owner',
    '/owner/link?link=x',
    '/oauth/callback?state=x&code=y',
    '/mcp',
    '/metrics',
    '/nowhere',
  ]
  return [
    ...said,
    ...[...forms, ...others].map((path): [string, string] => ['POST', path]),
    ...[...gets, ...forms].flatMap((path) =>
      ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH', 'TRACE'].map((method): [string, string] => [
        method,
        path,
      ]),
    ),
  ]
}

const BODIES: readonly [string, (word: string) => string][] = [
  ['application/json', (word) => JSON.stringify({ word, link: word, client_id: word })],
  [
    'application/x-www-form-urlencoded',
    (word) => `link=${word}&client_id=${word}&grant_type=${word}&password=${word}`,
  ],
  ['text/plain', (word) => word],
  [
    'application/json',
    (word) => JSON.stringify({ jsonrpc: '2.0', id: word, method: `tools/${word}`, params: { name: word } }),
  ],
]

/** One of the many ways to ask for something without a credential: whatever a stranger may choose is another word. */
function strangersWay(method: string, path: string, turn: number): Attempt {
  const word = `w${turn.toString(36)}${Math.abs(Math.sin(turn)).toString(36).slice(2, 10)}`
  const [type, body] = BODIES[turn % BODIES.length] as (typeof BODIES)[number]
  const ways: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${word}` },
    { authorization: `Bearer kn_tok_${word}_${word}` },
    { authorization: `Basic ${word}` },
    { cookie: `knowtation_owner_${new URL(hub.url).port}=${word}` },
    { host: `${word}.example` },
    { host: HOSTED, authorization: `Bearer ${word}.${word}.${word}` },
    { 'mcp-session-id': word, 'mcp-protocol-version': word, 'mcp-method': word, 'x-request-id': word },
    { origin: `https://${word}.example` },
    { 'x-flow-external-bearer': word, 'x-flow-grant-id': word },
    { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': word },
  ]
  const headers = { 'user-agent': `${word}/1.0`, 'x-vault-id': word, ...ways[turn % ways.length] }
  const isBody = !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
  return {
    method,
    path: path.replaceAll(/\{[^}]+\}/g, word),
    headers: isBody ? { ...headers, 'content-type': type } : headers,
    body: isBody ? body(word) : '',
  }
}

function ask({ method, path, headers, body }: Attempt): Promise<number> {
  const { hostname, port } = new URL(hub.url)
  return new Promise((resolve) => {
    const sent = request(
      { hostname, port, method, path, headers, agent: false, timeout: 30_000 },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      },
    )
    sent.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(101)
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

function records(): { operation: string; caller_kind: string; outcome: string; code: string | null }[] {
  const db = new BetterSqlite(at.home.database, { readonly: true })
  try {
    return db
      .prepare('SELECT operation, caller_kind, outcome, code FROM audit_records ORDER BY seq')
      .all() as never
  } finally {
    db.close()
  }
}

test(
  'a stranger who varies everything at every address leaves a handful of records',
  async () => {
    await runProgram(['token', 'create', '--role', 'viewer', '--home', at.home.folder])
    const before = records()
    const wishes = addresses().flatMap(([method, path], place) =>
      Array.from({ length: TIMES }, (_, time) => strangersWay(method, path, place * 31 + time * 7)),
    )
    const statuses = new Map<number, number>()
    for (let from = 0; from < wishes.length; from += AT_ONCE)
      for (const status of await Promise.all(wishes.slice(from, from + AT_ONCE).map(ask)))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const left = records().slice(before.length)
    const kinds = Object.groupBy(
      left,
      ({ caller_kind, outcome, operation }) => `${caller_kind} ${outcome} ${operation}`,
    )
    const counts = Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, rows?.length]))
    told(`${wishes.length} requests of strangers`, left.length <= BUDGET ? 'whole' : 'lost')
    expect([counts, left.length > BUDGET]).toEqual([counts, false])
    expect(records().some(({ operation }) => operation === 'token_create')).toBe(true)
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
    expect(wishes.length).toBeGreaterThan(300)
  },
  IS_LONG ? 900_000 : 180_000,
)
