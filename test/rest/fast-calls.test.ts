import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditRecords } from './rest-hub.fixture.ts'
import { ask, startTwoWays, type Told, type TwoWays } from './two-ways.fixture.ts'

let ways: TwoWays
beforeAll(async () => void (ways = await startTwoWays()))
afterAll(() => ways.close())

const MCP = { path: '/mcp', method: 'POST' }

/** Whether the connection is kept is between client and server, and no part of the answer. */
function withoutConnection({ headers, ...told }: Told): object {
  const { connection: _kept, 'keep-alive': _long, ...rest } = headers as Record<string, string>
  return { ...told, headers: rest }
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

/** What was allowed meanwhile. Refusals alike are drawn together after a while, so they are not compared. */
async function allowedDuring(act: () => Promise<unknown>): Promise<object[]> {
  const before = (await auditRecords(ways.hub)).length
  await act()
  const after = (await auditRecords(ways.hub)).slice(before).filter(({ outcome }) => outcome === 'allowed')
  return after.map(({ operation, surface, caller_id, client }) => ({ operation, surface, caller_id, client }))
}

test('an MCP request is answered and recorded alike with and without the framework', async () => {
  const { fast, framework } = ways.ports
  await fc.assert(
    fc.asyncProperty(body, cut, credential, extra, async (whole, cuts, who, more) => {
      const headers = ways.headersFor(who, {
        'content-type': 'application/json',
        'content-length': String(whole.length),
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...more,
      })
      const told: Told[] = []
      const kept: object[][] = []
      for (const port of [fast, framework]) {
        const send = async () => told.push(await ask({ ...MCP, port, headers }, piecesOf(whole, cuts)))
        kept.push(await allowedDuring(send))
      }
      // Refused sign-ins are counted per address, so only one of the two may be the first over the limit.
      if (told.some(({ status }) => status === 429)) return
      const [quick, slow] = told.map(withoutConnection)
      expect(quick).toEqual(slow)
      expect(kept[0]).toEqual(kept[1])
    }),
    { numRuns: 300 },
  )
}, 60_000)

test('a client that leaves in the middle of its body leaves nothing behind', async () => {
  const port = ways.ports.fast
  const headers = ways.headersFor('hub', {
    'content-type': 'application/json',
    'content-length': '100',
    accept: 'application/json, text/event-stream',
  })
  await new Promise<void>((resolve) => {
    const sent = request({ host: '127.0.0.1', port, ...MCP, headers })
    sent.on('error', () => resolve())
    sent.write('{"jsonrpc":', () => setTimeout(() => sent.destroy(new Error('gone')), 20))
  })
  const ping = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  const whole = { ...headers, 'content-length': String(ping.length) }
  expect((await ask({ ...MCP, port, headers: whole }, [ping])).status).toBe(200)
})
