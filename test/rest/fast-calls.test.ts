import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authenticator } from '../../src/platform/identity/authenticate.ts'
import { buildApp } from '../../src/surfaces/rest/build-app.ts'
import { registry } from '../harness/call.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { auditRecords } from './rest-hub.fixture.ts'

let hub: TestHub
let framework: FastifyInstance
let ports: { fast: number; framework: number }

beforeAll(async () => {
  hub = await startTestHub({ clock: { now: new Date('2026-11-15T12:00:00Z') } })
  const hubToken = hub.credentials.bearers.hub ?? ''
  const { db, system } = hub.hub
  const authenticate = authenticator({ db, now: system.now, hubToken, verifyJwt: undefined })
  framework = buildApp(hub.hub, registry, authenticate, { fast: false })
  await framework.listen({ host: '127.0.0.1', port: 0 })
  ports = { fast: Number(new URL(hub.url).port), framework: (framework.server.address() as AddressInfo).port }
  // The first to read brings the starter flows in, which is on record once.
  await fetch(`${hub.url}/api/v1/flows`, { headers: { authorization: `Bearer ${hubToken}` } })
})
afterAll(async () => {
  await framework.close()
  await hub.close()
})

interface Sent {
  headers: Record<string, string>
  /** Sent one after the other, as a slow client does. */
  pieces: readonly Buffer[]
}

function send(port: number, { headers, pieces }: Sent) {
  return new Promise<{ status: number | undefined; headers: object; body: string }>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: { host: 'localhost', ...headers } },
      (answer) => {
        let body = ''
        answer.on('data', (chunk) => (body += chunk))
        answer.on('end', () => {
          // Whether the connection is kept is between client and server, and no part of the answer.
          const { date: _date, connection: _kept, 'keep-alive': _long, ...told } = answer.headers
          resolve({ status: answer.statusCode, headers: told, body })
        })
      },
    )
    sent.on('error', reject)
    const next = (at: number): void => {
      const piece = pieces[at]
      if (!piece) return void sent.end()
      sent.write(piece, () => setImmediate(() => next(at + 1)))
    }
    next(0)
  })
}

const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})
const body = fc.oneof(
  fc
    .constantFrom<unknown>(
      { jsonrpc: '2.0', id: 7, method: 'ping' },
      { jsonrpc: '2.0', id: 'a', method: 'tools/list' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call('flow_get', { flow_id: 'flow_research_brief' }),
      call('flow_get', { flow_id: 'flow_nope' }),
      call('flow_get', { flow_id: 'flow_research_brief', more: 'é—😀' }),
      call('audit_list', {}),
      call('no_such_tool', {}),
      [],
      'text',
      { id: 1, Method: 'ping', method: 'ping', jsonrpc: '2.0' },
    )
    .map((value) => Buffer.from(JSON.stringify(value))),
  fc.constantFrom(Buffer.from('{'), Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('{"id":1,"id":2}')),
)
const cut = fc.nat({ max: 3 })
const credential = fc.constantFrom('none', 'hub', 'viewer', 'admin', 'nonsense')
const extra = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
  { 'x-vault-id': '../x' },
  { origin: 'http://evil.example' },
  { host: 'evil.example' },
  { 'x-flow-external-bearer': 'fgrnt_bearer_wrong' },
  { 'mcp-protocol-version': '2026-07-28' },
  { accept: 'text/html' },
)

/** The body in so many more pieces. */
function piecesOf(whole: Buffer, cuts: number): Buffer[] {
  const size = Math.ceil(whole.length / (cuts + 1))
  return Array.from({ length: cuts + 1 }, (_, at) => whole.subarray(at * size, (at + 1) * size))
}

test('an MCP request is answered and recorded alike with and without the framework', async () => {
  const bearers: Record<string, string | undefined> = { ...hub.credentials.bearers, nonsense: 'nonsense' }
  const recordsOf = async (act: () => Promise<unknown>) => {
    const before = (await auditRecords(hub)).length
    await act()
    // Refusals alike are drawn together after a while, so only what was allowed is compared one by one.
    const after = (await auditRecords(hub)).slice(before).filter(({ outcome }) => outcome === 'allowed')
    return after.map(({ operation, surface, caller_id, client }) => ({
      operation,
      surface,
      caller_id,
      client,
    }))
  }
  await fc.assert(
    fc.asyncProperty(body, cut, credential, extra, async (whole, cuts, who, more) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': String(whole.length),
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...(who !== 'none' && { authorization: `Bearer ${bearers[who]}` }),
        ...more,
      }
      const sent = { headers, pieces: piecesOf(whole, cuts) }
      const told: unknown[] = []
      const kept = []
      for (const port of [ports.fast, ports.framework])
        kept.push(await recordsOf(async () => told.push(await send(port, sent))))
      // Refused sign-ins are counted per address, so only one of the two may be the first over the limit.
      if (told.some((one) => (one as { status: number }).status === 429)) return
      expect(told[0]).toEqual(told[1])
      expect(kept[0]).toEqual(kept[1])
    }),
    { numRuns: 300 },
  )
}, 60_000)

test('a client that leaves in the middle of its body leaves nothing behind', async () => {
  const headers = {
    authorization: `Bearer ${hub.credentials.bearers.hub}`,
    'content-type': 'application/json',
    'content-length': '100',
  }
  const errors = await new Promise<string>((resolve) => {
    const sent = request({ host: '127.0.0.1', port: ports.fast, path: '/mcp', method: 'POST', headers })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    sent.write('{"jsonrpc":', () => setTimeout(() => sent.destroy(new Error('gone')), 20))
  })
  expect(errors).toBe('')
  const told = await send(ports.fast, {
    headers: { ...headers, 'content-length': '42', accept: 'application/json, text/event-stream' },
    pieces: [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}  ')],
  })
  expect(told.status).toBe(200)
})
