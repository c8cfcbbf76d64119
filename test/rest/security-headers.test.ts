import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { head, sendRaw } from './raw-http.fixture.ts'
import { startRestHub } from './rest-hub.fixture.ts'

const EXPECTED = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

let hub: TestHub
beforeAll(async () => void (hub = await startRestHub()))
afterAll(() => hub.close())

interface Wish {
  bearer?: string | undefined
  lines?: string[]
  body?: string
  host?: string
}

function ask(first: string, { bearer, lines = [], body, host = 'Host: 127.0.0.1' }: Wish = {}) {
  const identity = bearer ? [`Authorization: Bearer ${bearer}`] : []
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const all = [`${first} HTTP/1.1`, host, 'Connection: close', ...identity, ...lines, ...length]
  return sendRaw(hub.url, head(...all), body ?? '')
}

const json = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']
const mcp = (body: string, ...lines: string[]): Wish => ({ body, lines: [...json, ...lines] })

/** One request for every way in which the hub can answer, with the status it gives. */
const KINDS: [string, number, string, Wish & { as?: 'admin' | 'viewer' }][] = [
  ['the page', 200, 'GET /', { lines: ['Accept: text/html'] }],
  ['the page for programs', 200, 'GET /', {}],
  ['the style sheet', 200, 'GET /style.css', {}],
  ['health', 200, 'GET /healthz', {}],
  ['metrics', 200, 'GET /metrics', {}],
  ['OpenAPI', 200, 'GET /openapi.json', {}],
  ['an operation', 200, 'GET /api/v1/flows', { as: 'viewer' }],
  ['a creation', 201, 'POST /api/v1/tokens', { as: 'admin', ...mcp('{"role":"viewer"}') }],
  ['nobody', 401, 'GET /api/v1/flows', {}],
  ['the wrong role', 403, 'GET /api/v1/tokens', { as: 'viewer' }],
  ['a bad input', 400, 'GET /api/v1/flows?scope=galaxy', { as: 'viewer' }],
  ['a missing flow', 404, 'GET /api/v1/flows/flow_nope', { as: 'viewer' }],
  ['a missing page', 404, 'GET /nothing', {}],
  ['an unserved method', 404, 'OPTIONS /api/v1/flows', {}],
  ['an unreadable path', 400, 'GET /%zz', {}],
  ['a foreign host', 403, 'GET /', { host: 'Host: evil.com' }],
  ['a foreign host at an operation', 403, 'GET /api/v1/flows', { host: 'Host: evil.com' }],
  ['no host', 403, 'GET /', { host: 'X-Host: none' }],
  ['a foreign origin', 403, 'GET /healthz', { lines: ['Origin: null'] }],
  ['malformed JSON', 400, 'POST /api/v1/tokens', { as: 'admin', ...mcp('{') }],
  [
    'another media type',
    415,
    'POST /api/v1/tokens',
    { as: 'admin', body: 'x', lines: ['Content-Type: a/b'] },
  ],
  ['a large body', 413, 'POST /api/v1/tokens', { as: 'admin', lines: [...json, 'Content-Length: 1048577'] }],
  ['MCP without a credential', 401, 'POST /mcp', mcp(LIST)],
  ['MCP, as a stream', 200, 'POST /mcp', { as: 'viewer', ...mcp(LIST, 'MCP-Protocol-Version: 2025-06-18') }],
  ['MCP, unreadable', 400, 'POST /mcp', { as: 'viewer', ...mcp('[') }],
  ['MCP, another media type', 415, 'POST /mcp', { as: 'viewer', body: 'x', lines: ['Content-Type: a/b'] }],
  ['MCP, another method', 404, 'PUT /mcp', { as: 'viewer' }],
  ['no HTTP', 400, 'no http at all', {}],
  ['large headers', 431, 'GET /', { lines: [`X-A: ${'a'.repeat(20_000)}`] }],
]

test.each(KINDS)('%s (%d) carries them', async (_what, status, first, { as, ...wish }) => {
  const reply = await ask(first, { ...wish, bearer: as && hub.credentials.bearers[as] })
  expect(reply.status).toBe(status)
  expect(reply.headers).toMatchObject(EXPECTED)
  const isStream = reply.headers['content-type'] === 'text/event-stream'
  expect(reply.headers['cache-control']).toMatch(isStream ? /no-cache|no-store/ : /^no-store$/)
  expect(reply.headers).not.toHaveProperty('x-powered-by')
  expect(reply.headers).not.toHaveProperty('server')
})

test('no refusal tells what stands behind it', async () => {
  for (const [, status, first, { as, ...wish }] of KINDS) {
    if (status < 400) continue
    const { body, raw } = await ask(first, { ...wish, bearer: as && hub.credentials.bearers[as] })
    expect(raw).not.toMatch(/fastify|FST_|node_modules|\.ts:|stack|zod|sqlite/i)
    expect(body).toMatch(/^\{.*\}$/)
  }
})
