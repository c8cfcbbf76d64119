import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { TestHub, TestHubOptions } from '../harness/test-hub.ts'
import { type Received, recorded, type Sent, send, startRestHub } from './rest-hub.fixture.ts'

let hub: TestHub
afterEach(() => hub.close())

const LIMIT = 3
const limited = { config: { rate_limits: { calls_per_minute: LIMIT } } }
const start = async (options: TestHubOptions = limited) => void (hub = await startRestHub(options))
const MCP = { accept: 'application/json, text/event-stream' }
const rpc = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

type Way = [what: string, sent: () => Sent]
const ways: Way[] = [
  ['an input that is not valid', () => ({ method: 'POST', path: '/api/v1/tokens', body: '{"role":7}' })],
  ['a body that is no JSON', () => ({ method: 'POST', path: '/api/v1/tokens', body: '{' })],
  [
    'a vault that is not open to the caller',
    () => ({ path: '/api/v1/whoami', headers: { 'x-vault-id': 'other' } }),
  ],
  ['a vault id without form', () => ({ path: '/api/v1/whoami', headers: { 'x-vault-id': '../x' } })],
  ['an operation that is not the caller’s', () => ({ path: '/v1/owner/control' })],
  ['a tool that is not there', () => ({ method: 'POST', path: '/api/v1/tools/nothing', body: '{}' })],
  ['the list of tools', () => ({ method: 'POST', path: '/mcp', headers: MCP, body: rpc('tools/list') })],
  ['a message that is no JSON', () => ({ method: 'POST', path: '/mcp', headers: MCP, body: '{' })],
  [
    'an unknown tool over MCP',
    () => ({ method: 'POST', path: '/mcp', headers: MCP, body: rpc('tools/call', { name: 'nothing' }) }),
  ],
]

describe('what is refused counts like what is carried out', () => {
  test.each(ways)('%s', async (_what, sent) => {
    await start()
    const ask = (): Promise<Received> =>
      send(hub.url, { ...sent(), bearer: hub.credentials.bearers.editor ?? '' })
    for (let time = 0; time < LIMIT; time++) {
      const { status, text } = await ask()
      expect([status, text]).not.toContain(429)
    }
    const { result, records } = await recorded(hub, ask)
    expect([result.status, result.headers['retry-after'] !== undefined]).toEqual([429, true])
    expect(records).toMatchObject([
      { code: expect.stringMatching(/^rate_limited$/i) as string, outcome: 'denied' },
    ])
  })
})

/** Sends the head of a request, and nothing of the body that it announces. */
function sendHead(lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(hub.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (!text.includes('\r\n\r\n')) return
      resolve(text)
      socket.destroy()
    })
    socket.on('error', reject)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}

const headOf = (path: string, type: string, length: number, bearer?: string) => [
  `POST ${path} HTTP/1.1`,
  'Host: 127.0.0.1',
  `Content-Type: ${type}`,
  `Content-Length: ${length}`,
  ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
]

test.each(['/api/v1/tokens', '/mcp'])(
  'whoever has made too many calls hears of it at %s before a body is read',
  async (path) => {
    await start()
    const bearer = hub.credentials.bearers.editor ?? ''
    for (let time = 0; time < LIMIT; time++) await send(hub.url, { path: '/api/v1/whoami', bearer })
    expect(await sendHead(headOf(path, 'application/json', 1_000, bearer))).toMatch(/^HTTP\/1.1 429 /)
  },
)

test('the calls of visitors do not use up those of others', async () => {
  await start()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', path: '/oauth/device_authorization', body: 'client_name=x', headers }
  for (let time = 0; time < LIMIT * 3; time++) expect((await send(hub.url, sent)).status).not.toBe(429)
})

describe('what a visitor may send', () => {
  test.each([
    ['/owner/sign-in', 'application/json', 65_537, 413],
    ['/owner/passkey/sign-in', 'application/json', 65_537, 413],
    ['/owner/sign-in', 'application/x-www-form-urlencoded', 65_537, 413],
    ['/oauth/token', 'application/x-www-form-urlencoded', 65_537, 413],
    ['/nowhere', 'application/json', 10, 404],
    ['/owner/sign-in', 'multipart/form-data; boundary=b', 10, 415],
    ['/owner/sign-in', 'Multipart/Form-Data; boundary=b', 10, 415],
  ])('%s takes no %s of %d bytes: %d before it is read', async (path, type, bytes, status) => {
    await start({})
    expect(await sendHead(headOf(path, type, bytes))).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})
