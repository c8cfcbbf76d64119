import { connect } from 'node:net'
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import Fastify from 'fastify'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { BASE, legacy, modern } from './fast-path-cases.fixture.ts'
import { createMcpHttp } from './http.ts'
import {
  createSampleHost,
  SAMPLE_CALLER,
  type SampleServer,
  startSampleServer,
} from './sample-host.fixture.ts'

const running: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).toReversed()) await one.close()
})

async function start(...args: Parameters<typeof startSampleServer>): Promise<SampleServer> {
  const server = await startSampleServer(...args)
  running.push(server)
  return server
}

async function post(server: { url: string }, body: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(server.url, { method: 'POST', headers: BASE as Record<string, string>, body })
  return { status: response.status, body: await response.json() }
}

const CALL = '"jsonrpc":"2.0","id":1,"method":"tools/call"'

describe('bodies that two readers could take differently', () => {
  test.each([
    ['repeated method', `{${CALL},"method":"ping"}`],
    ['repeated name', `{${CALL},"params":{"name":"echo","name":"refuse"}}`],
    ['repeated name, escaped', `{${CALL},"params":{"name":"echo","na\\u006de":"refuse"}}`],
    ['repeated argument, deep', `{${CALL},"params":{"name":"echo","arguments":{"a":[{"b":1,"b":2}]}}}`],
    ['Method', `{${CALL},"Method":"ping"}`],
    ['PARAMS', `{${CALL},"params":{"name":"echo"},"PARAMS":{}}`],
    ['Id', '{"jsonrpc":"2.0","Id":1,"method":"ping"}'],
    ['paramſ', `{${CALL},"param\u017f":{}}`],
    ['Name', `{${CALL},"params":{"name":"echo","Name":"refuse"}}`],
    ['Arguments', `{${CALL},"params":{"name":"echo","Arguments":{}}}`],
    ['_Meta', `{${CALL},"params":{"name":"echo","_Meta":{}}}`],
    ['batch', `[{${CALL},"params":{"name":"echo"}}]`],
    ['empty batch', '[]'],
    ['too deep', `{${CALL},"params":{"name":"echo","arguments":{"a":${'['.repeat(70)}${']'.repeat(70)}}}}`],
  ])('%s is refused before the host hears of it', async (_name, body) => {
    const server = await start()
    const answer = await post(server, body)
    expect(answer).toMatchObject({ status: 400, body: { jsonrpc: '2.0', id: null, error: { code: -32600 } } })
    expect(server.host.calls).toEqual([])
    expect(server.mcp.answered).toEqual({ fast: 0, sdk: 0, refused: 1 })
  })

  test.each(['', '{', 'tools/list'])('%j is a parse error', async (body) => {
    const answer = await post(await start(), body)
    expect(answer).toMatchObject({ status: 400, body: { id: null, error: { code: -32700 } } })
  })

  test('names that differ only by case are free inside arguments', async () => {
    const server = await start()
    const sent = legacy('tools/call', { name: 'echo', arguments: { Name: 1, name: 2, METHOD: 3 } })
    await fetch(server.url, { method: 'POST', ...(sent as RequestInit) })
    expect(server.host.calls).toMatchObject([{ args: { Name: 1, name: 2, METHOD: 3 } }])
  })
})

describe('a client that goes away', () => {
  test.each([
    ['legacy, fast path', true, legacy('tools/call', { name: 'slow', arguments: { ms: 20_000 } })],
    ['modern, fast path', true, modern('tools/call', { name: 'slow', arguments: { ms: 20_000 } })],
    ['legacy, SDK', false, legacy('tools/call', { name: 'slow', arguments: { ms: 20_000 } })],
    ['modern, SDK', false, modern('tools/call', { name: 'slow', arguments: { ms: 20_000 } })],
  ])('aborts its call: %s', async (_name, fastPath, sent) => {
    const server = await start({ fastPath })
    const leave = new AbortController()
    const pending = fetch(server.url, { method: 'POST', ...(sent as RequestInit), signal: leave.signal })
    await vi.waitFor(() => expect(server.host.calls).toHaveLength(1))
    leave.abort()
    await expect(pending).rejects.toThrow()
    await vi.waitFor(() => expect(server.host.aborted).toEqual(['slow']))
  })

  test('and a call that was answered is not aborted afterwards', async () => {
    const server = await start()
    const sent = legacy('tools/call', { name: 'echo', arguments: {} })
    await (await fetch(server.url, { method: 'POST', ...(sent as RequestInit) })).text()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(server.host.aborted).toEqual([])
  })
})

test.each([true, false])('a long call keeps its event stream alive (fast path %s)', async (fastPath) => {
  const server = await start({ fastPath, keepAliveMs: 25 })
  const sent = legacy('tools/call', { name: 'slow', arguments: { ms: 120 } })
  const response = await fetch(server.url, { method: 'POST', ...(sent as RequestInit) })
  expect(await response.text()).toMatch(/^(: keepalive\n\n){2,}event: message\ndata: \{.*\}\n\n$/)
})

test('one keep-alive connection carries many answers, pipelined', async () => {
  const server = await start()
  const { headers, body } = legacy('ping')
  const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': body.length })
  const message = `POST /mcp HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n${body}`
  const socket = connect(server.port, '127.0.0.1')
  socket.end(message.repeat(5))
  let seen = ''
  for await (const chunk of socket) seen += chunk
  expect(seen.match(/"result":\{\}/g)).toHaveLength(5)
})

describe('the official clients', () => {
  test.each([true, false])('1.x lists, calls and is refused (may echo: %s)', async (mayEcho) => {
    const server = await start({}, { name: 'old', mayEcho })
    const client = new OldClient({ name: 'old-client', version: '1' })
    await client.connect(new OldTransport(new URL(server.url)) as Parameters<OldClient['connect']>[0])
    running.push(client)
    await expectToolsOf(client, mayEcho)
  })

  test.each([true, false])('2.x lists, calls and is refused (may echo: %s)', async (mayEcho) => {
    const server = await start({}, { name: 'new', mayEcho })
    const client = new NewClient(
      { name: 'new-client', version: '2' },
      { versionNegotiation: { mode: 'auto' } },
    )
    await client.connect(new NewTransport(new URL(server.url)))
    running.push(client)
    await expectToolsOf(client, mayEcho)
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(server.host.calls[0]?.client).toMatchObject({ name: 'new-client', version: '2' })
  })
})

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
}

async function expectToolsOf(client: AnyClient, mayEcho: boolean): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map((tool) => tool.name)).toEqual(mayEcho ? ['echo', 'refuse'] : [])
  const echo = client.callTool({ name: 'echo', arguments: { text: 'hi' } })
  if (!mayEcho) return expect(echo).rejects.toThrow('Tool echo not found')
  expect(await echo).toMatchObject({ structuredContent: { args: { text: 'hi' } } })
  const refused = await client.callTool({ name: 'refuse', arguments: {} })
  expect(refused).toMatchObject({ isError: true, content: [{ text: '{"error":"No.","code":"REFUSED"}' }] })
  expect(refused).not.toHaveProperty('structuredContent')
}

test('mounts on Fastify with the body as text', async () => {
  const mcp = createMcpHttp(createSampleHost())
  const app = Fastify({ bodyLimit: 1_048_576 })
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_req, body, done) =>
      done(null, body),
    )
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      handler: async (req, reply) => {
        reply.hijack()
        await mcp.handle(req.raw, reply.raw, (req.body as string | undefined) ?? '', SAMPLE_CALLER)
      },
    })
  })
  running.push(app, mcp)
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`
  expect((await fetch(url, { method: 'POST', ...(legacy('ping') as RequestInit) })).status).toBe(200)
  expect((await fetch(url, { method: 'POST', ...(legacy('no/such') as RequestInit) })).status).toBe(200)
  expect((await fetch(url)).status).toBe(405)
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(405)
  expect((await post({ url }, '{"id":1,"id":2}')).status).toBe(400)
})
