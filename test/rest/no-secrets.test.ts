import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret, isSecret } from '../../src/platform/basics/secret-hash.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { jwt } from './credentials.fixture.ts'
import { auditRecords, type Received, type Sent, send, startRestHub } from './rest-hub.fixture.ts'
import { OPEN_GATES, requestOf, requireExpectation, routed } from './routes.fixture.ts'

/** What every planted word begins with: finding this finds them all. */
const STEM = 'Kanary-9f3Zq-'

/** Inputs whose text the hub is asked to keep: names, the tool that a call is about, a lock, a wish. */
const KEPT = [
  'token_create label',
  'flow_external_tool_invoke tool_id',
  'flow_external_grant_preview requested_tools',
  'client_settings name',
  'lock_add id',
  'lock_add reason',
  'owner_connection_intent_create connector_id',
  'owner_connection_intent_create display_name',
]

/** One word per place, so that a hit says where it came in. */
let planted = 0
function plant(place: string): string {
  planted++
  return `${STEM}${place}-${planted}`
}

let hub: TestHub
const answers: Received[] = []
const printed: string[] = []
const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }))
beforeAll(async () => {
  for (const { stream, write } of streams) {
    stream.write = ((text: string | Uint8Array, ...rest: []) => {
      printed.push(String(text))
      return write.call(stream, text, ...rest)
    }) as typeof stream.write
  }
  hub = await startRestHub({ env: OPEN_GATES })
  for (const operation of routed) {
    const input = requireExpectation(operation).input(hub)
    await plantEverywhere(requestOf(operation, input))
    for (const name of Object.keys(operation.input.shape)) {
      if (KEPT.includes(`${operation.name} ${name}`)) continue
      await plantInput(requestOf(operation, { ...input, [name]: plant(`${operation.name}-${name}`) }))
    }
  }
  await plantInMcp()
}, 60_000)
afterAll(async () => {
  for (const { stream, write } of streams) stream.write = write
  await hub.close()
})

/** An input that is a text of the wrong form, for those who may do anything and for those who may not. */
async function plantInput(sent: Sent): Promise<void> {
  const { hub: token, viewer } = hub.credentials.bearers
  for (const bearer of [token, viewer, undefined]) answers.push(await send(hub.url, { ...sent, bearer }))
  answers.push(await sendAsOwner(hub, sent))
}

async function plantEverywhere(sent: Sent): Promise<void> {
  const { hub: owner } = hub.credentials.bearers
  const claims = { role: 'admin', name: plant('claim'), email: plant('email'), [plant('claim-name')]: 1 }
  const path = (extra: string) => `${sent.path}${sent.path.includes('?') ? '&' : '?'}${extra}`
  const deep = JSON.stringify({ [plant('key')]: plant('value'), role: plant('role'), label: plant('label') })
  const tries: Sent[] = [
    { ...sent, bearer: plant('bearer') },
    { ...sent, bearer: `ktok_${'0'.repeat(16)}_${plant('token')}` },
    { ...sent, bearer: `${plant('head')}.${plant('body')}.${plant('signature')}` },
    { ...sent, bearer: await jwt({ claims }) },
    { ...sent, bearer: await jwt({ claims: { ...claims, exp: 1 } }) },
    { ...sent, headers: { authorization: `Basic ${plant('basic')}` } },
    { ...sent, bearer: owner, headers: { 'user-agent': plant('agent'), cookie: plant('cookie') } },
    { ...sent, bearer: owner, headers: { 'user-agent': `curl/8 ${plant('agent')}` } },
    { ...sent, bearer: owner, headers: { 'x-vault-id': plant('vault') } },
    {
      ...sent,
      bearer: owner,
      headers: { 'x-flow-external-bearer': plant('grant'), 'x-flow-grant-id': plant('id') },
    },
    { ...sent, bearer: owner, headers: { host: `${plant('host')}.test` } },
    { ...sent, bearer: owner, headers: { origin: `https://${plant('origin')}.test` } },
    { ...sent, bearer: owner, headers: { 'x-forwarded-for': plant('forwarded'), referer: plant('referer') } },
    { ...sent, bearer: owner, path: path(`${plant('query')}=${plant('query-value')}`) },
    { ...sent, bearer: owner, path: `${sent.path}/${plant('path')}` },
    { ...sent, bearer: owner, path: sent.path.replace(/[^/]+$/, plant('id')) },
    { ...sent, bearer: owner, path: `/%zz${plant('bad-path')}` },
    { ...sent, method: 'POST', bearer: owner, body: deep },
    { ...sent, method: 'POST', bearer: owner, body: `{"${plant('broken')}` },
    { ...sent, method: 'POST', bearer: owner, body: JSON.stringify({ bundle: { flow: plant('bundle') } }) },
    {
      ...sent,
      method: 'POST',
      bearer: owner,
      body: plant('text'),
      headers: { 'content-type': plant('type') },
    },
  ]
  for (const { bearer, ...one } of tries)
    answers.push(await (bearer === owner ? sendAsOwner(hub, one) : send(hub.url, { ...one, bearer })))
}

const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } })

async function plantInMcp(): Promise<void> {
  const messages = [
    {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: clientInfo() },
    },
    call('flow_get', { flow_id: plant('argument') }),
    call('flow_get', { [plant('argument-name')]: 1 }),
    call(plant('tool'), {}),
    call('flow_check', { bundle: { [plant('bundle-key')]: plant('bundle-value') } }),
    { method: plant('method'), params: { _meta: { token: plant('meta') } } },
  ]
  const headers = { accept: 'application/json, text/event-stream', 'user-agent': plant('mcp-agent') }
  const from = { method: 'POST', path: '/mcp', bearer: hub.credentials.bearers.admin, headers }
  for (const message of messages)
    await send(hub.url, { ...from, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) })
  await send(hub.url, { ...from, body: `{"${plant('mcp-broken')}` })
}

const clientInfo = () => ({ name: plant('client'), version: plant('client-version') })

/** The forms in which a text may hide, to be looked for in any letter case. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // Base64 looks different at each of three offsets; the middle part of each is always the same.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  const percent = [...bytes].map((byte) => `%${byte.toString(16)}`).join('')
  return [secret, bytes.toString('hex'), percent, ...base64].map((form) => form.toLowerCase())
}

/** What follows each place where the stem is found, in whatever form. */
function hitsIn(text: string): string[] {
  const haystack = text.toLowerCase()
  return formsOf(STEM).flatMap((form) => {
    const place = haystack.indexOf(form)
    return place === -1 ? [] : [text.slice(place, place + SHOWN)]
  })
}
const SHOWN = 80

function homeText(): string {
  const files = readdirSync(hub.home.folder, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n')
}

describe('what callers sent', () => {
  test('was sent in every place, and each route saw it', () => {
    expect(planted).toBeGreaterThan(routed.length * 20)
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(routed.length)
  })

  test('is in no file of the home, the write-ahead log included', async () => {
    await auditRecords(hub)
    const text = homeText()
    expect(text.length).toBeGreaterThan(50_000)
    expect(hitsIn(text)).toEqual([])
  })

  test('is in no log line and nothing printed', () => {
    expect(hitsIn(hub.logged.join('\n'))).toEqual([])
    expect(hitsIn(printed.join('\n'))).toEqual([])
  })

  test('is in no audit record and no metric', async () => {
    expect(hitsIn(JSON.stringify(await auditRecords(hub)))).toEqual([])
    const metrics = await send(hub.url, { path: '/metrics' })
    expect(metrics.text).toContain('knowtation_calls_total')
    expect(hitsIn(metrics.text)).toEqual([])
  })

  test('is repeated in no answer of a route', () => {
    expect(hitsIn(answers.map(({ text }) => text).join('\n'))).toEqual([])
  })

  test('would be found in any form', () => {
    const bytes = Buffer.from(plant('sample'))
    const forms = [
      bytes.toString(),
      bytes.toString('hex'),
      Buffer.concat([Buffer.from('ab'), bytes]).toString('base64'),
    ]
    for (const form of forms) expect(hitsIn(`x${form}y`)).toHaveLength(1)
  })
})

const mode = (path: string) => statSync(path).mode & 0o777

describe('the hub’s own secrets', () => {
  test('a token is stored as a hash and shown once', async () => {
    const { bearers, token_ids } = hub.credentials
    const secret = bearers.viewer?.split('_')[2] ?? ''
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(homeText()).not.toContain(secret)
    const read = sql<{ secret_hash: string }>('SELECT secret_hash FROM tokens WHERE token_id = ?')
    const stored = (await hub.hub.db.get(read, token_ids.viewer))?.secret_hash
    expect(stored).toBe(hashSecret(bearers.viewer ?? ''))
    const list = await send(hub.url, { path: '/api/v1/tokens', bearer: bearers.admin })
    expect(list.text).toContain(token_ids.viewer)
    expect(list.text).not.toContain(stored)
    expect(list.text).not.toContain(secret)
  })

  test('are compared in constant time, whatever their lengths', () => {
    const stored = hashSecret('khub_a')
    expect(isSecret('khub_a', stored)).toBe(true)
    for (const guess of ['', 'khub_', 'khub_b', 'khub_a ', stored])
      expect(isSecret(guess, stored)).toBe(false)
    expect(isSecret('khub_a', stored.slice(1))).toBe(false)
    // There is no other comparison: neither file compares a presented bearer by itself.
    for (const name of ['authenticate', 'token-store']) {
      const code = readFileSync(new URL(`../../src/platform/identity/${name}.ts`, import.meta.url), 'utf8')
      expect(code).toContain('isSecret(bearer,')
      expect(code).not.toMatch(/bearer\s*[!=]==?|[!=]==?\s*bearer\b|secret_hash\s*[!=]==?/)
    }
  })

  test('lie in files that only their owner may read', () => {
    expect(mode(hub.home.folder)).toBe(0o700)
    for (const name of ['hub-token', 'audit-key', 'knowtation.db', 'knowtation.db-wal', 'knowtation.db-shm'])
      expect([name, mode(join(hub.home.folder, name))]).toEqual([name, 0o600])
  })
})
