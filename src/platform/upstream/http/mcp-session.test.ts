import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { EVERYTHING, failureOf, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'

const bind = (url: string, tool: string, more: object = {}) =>
  ToolProvider.parse({ kind: 'mcp', url, tool, ...more })

interface Rpc {
  id?: number
  method: string
  params: { name?: string; arguments?: object; cursor?: string; requestId?: number }
}
interface Seen {
  method: string
  http: string | undefined
  session: unknown
  version: unknown
  body: Rpc | undefined
}
type Act = (rpc: Rpc, response: ServerResponse, request: IncomingMessage) => boolean

/** An MCP server from before 2026-07-28 that does as it should, but for what `act` does instead. */
async function serveMcp(act: Act = () => false) {
  const seen: Seen[] = []
  const served = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const rpc = text === '' ? undefined : (JSON.parse(text) as Rpc)
    if (rpc?.method === 'server/discover') return response.writeHead(400).end()
    const { 'mcp-session-id': session, 'mcp-protocol-version': version } = request.headers
    seen.push({ method: rpc?.method ?? '', http: request.method, session, version, body: rpc })
    if (!rpc || act(rpc, response, request)) return rpc ?? response.end()
    // A notice, or the answer to a question of the server's own.
    if (rpc.id === undefined || !rpc.method) return response.writeHead(202).end()
    json(response, rpc.id, answerOf(rpc))
  })
  return { ...served, seen, methods: () => seen.map(({ method, http }) => method || http) }
}

function answerOf({ method, params }: Rpc): object {
  if (method === 'initialize')
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: {} }
  if (method === 'tools/list') return { tools: [{ name: 'say' }] }
  return { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }
}

function json(response: ServerResponse, id: number | undefined, result: object, headers: object = {}) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

function events(response: ServerResponse, ...messages: object[]) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const message of messages) {
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  }
}

describe('a real tool server over streamable HTTP', () => {
  test('answers calls within one session', async () => {
    const port = await freePort()
    const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise((resolve) => child.stderr.once('data', resolve))
    const url = `http://127.0.0.1:${port}/mcp`
    const upstreams = openUpstreams()
    await vi.waitFor(
      async () =>
        expect(await failureOf(upstreams.call(bind(url, 'echo'), { message: 'up' }))).toContain('up'),
      10_000,
    )
    const messages = Array.from({ length: 20 }, (_, n) => `message ${n}`)
    const answers = await Promise.all(
      messages.map((message) => upstreams.call(bind(url, 'echo'), { message })),
    )
    expect(answers).toEqual(
      messages.map((message) => ({
        kind: 'mcp',
        result: { content: [{ type: 'text', text: `Echo: ${message}` }] },
      })),
    )
    expect(await failureOf(upstreams.call(bind(url, 'no_such_tool'), {}))).toBe('tool_missing unsent')
  })
})

describe('an MCP server over HTTP', () => {
  test('is greeted once, asked for its tools once, and told goodbye', async () => {
    const { url, seen, methods } = await serveMcp((rpc, response) => {
      if (rpc.method !== 'initialize') return false
      json(response, rpc.id, answerOf(rpc), { 'mcp-session-id': 'session-1' })
      return true
    })
    const upstreams = openUpstreams({ env: { KEY: 'Bearer key-value' } })
    const say = bind(url, 'say', { headers: { authorization: 'env:KEY' } })
    const calls = [1, 2, 3].map((n) => upstreams.call(say, { n, key: 'key-value' }))
    const [first] = await Promise.all(calls)
    expect(first).toEqual({
      kind: 'mcp',
      result: { content: [{ type: 'text', text: '{"n":1,"key":"[REDACTED]"}' }] },
    })
    await upstreams.close()
    const greeting = ['initialize', 'notifications/initialized', 'tools/list']
    expect(methods()).toEqual([...greeting, 'tools/call', 'tools/call', 'tools/call', 'DELETE'])
    expect(seen[0]).toMatchObject({ session: undefined, version: undefined })
    for (const later of seen.slice(1))
      expect(later).toMatchObject({ session: 'session-1', version: '2025-06-18' })
  })

  test('that forgot the session is greeted once more, and only once', async () => {
    let sessions = 0
    let lost_again = false
    const { url, methods } = await serveMcp((rpc, response, request) => {
      const current = request.headers['mcp-session-id'] === `session-${sessions}` && !lost_again
      if (rpc.method === 'initialize') {
        json(response, rpc.id, answerOf(rpc), { 'mcp-session-id': `session-${++sessions}` })
        return true
      }
      if (!current && rpc.method === 'tools/call') response.writeHead(404).end()
      return !current && rpc.method === 'tools/call'
    })
    const upstreams = openUpstreams()
    await upstreams.call(bind(url, 'say'), {})
    sessions = 7
    expect(await failureOf(upstreams.call(bind(url, 'say'), { n: 2 }))).toContain('answered')
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(2)
    lost_again = true
    expect(await failureOf(upstreams.call(bind(url, 'say'), {}))).toBe('http_status sent 404')
  })

  test.each([404, 400])(
    'that takes a call, says %i and greets nobody was sent it all the same',
    async (status) => {
      const taken: object[] = []
      const { url } = await serveMcp((rpc, response) => {
        if (rpc.method === 'initialize' && taken.length === 0) {
          json(response, rpc.id, answerOf(rpc), { 'mcp-session-id': 'session-1' })
          return true
        }
        if (rpc.method === 'tools/call') taken.push(rpc.params.arguments ?? {})
        if (taken.length > 0) response.writeHead(rpc.method === 'initialize' ? 503 : status).end()
        return taken.length > 0
      })
      expect(await failureOf(openUpstreams().call(bind(url, 'say'), { n: 1 }))).toBe('http_status sent 503')
      expect(taken).toEqual([{ n: 1 }])
    },
  )

  test('may answer in an event stream, among notices and questions of its own', async () => {
    const { url, seen } = await serveMcp((rpc, response) => {
      if (rpc.method !== 'tools/call') return false
      events(
        response,
        { method: 'notifications/progress', params: {} },
        { id: 'q', method: 'elicitation/create', params: {} },
        { id: 999, result: { content: [] } },
        { id: rpc.id, result: answerOf(rpc) },
      )
      // The stream stays open: the answer is enough.
      return true
    })
    const upstreams = openUpstreams()
    expect(await upstreams.call(bind(url, 'say'), { n: 1 })).toMatchObject({
      result: { content: [{ text: '{"n":1}' }] },
    })
    await vi.waitFor(() =>
      expect(seen.map(({ body }) => body)).toContainEqual(
        expect.objectContaining({ id: 'q', error: { code: -32601, message: 'Method not found' } }),
      ),
    )
  })

  test('whose stream says that the tools changed is asked again', async () => {
    let grown = false
    const { url } = await serveMcp((rpc, response) => {
      if (rpc.method === 'tools/list' && grown) {
        json(response, rpc.id, { tools: [{ name: 'new' }] })
        return true
      }
      if (rpc.method !== 'tools/call' || grown) return false
      grown = true
      events(response, { method: 'notifications/tools/list_changed' }, { id: rpc.id, result: answerOf(rpc) })
      response.end()
      return true
    })
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(bind(url, 'new'), {}))).toBe('tool_missing unsent')
    await upstreams.call(bind(url, 'say'), {})
    expect(await failureOf(upstreams.call(bind(url, 'new'), {}))).toContain('answered')
    expect(await failureOf(upstreams.call(bind(url, 'say'), {}))).toBe('tool_missing unsent')
  })

  test('that turns a call away in a session it knows is asked once, and not greeted again', async () => {
    const { url, methods } = await serveMcp((rpc, response) => {
      if (rpc.method === 'tools/call') response.writeHead(400).end()
      else if (rpc.method === 'initialize') json(response, rpc.id, answerOf(rpc), { 'mcp-session-id': 's' })
      else return false
      return true
    })
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(bind(url, 'say'), {}))).toBe('http_status sent 400')
    expect(methods().slice(-2)).toEqual(['tools/call', 'ping'])
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(1)
  })

  test('is told when a call is given up', async () => {
    const { url, seen } = await serveMcp((rpc) => rpc.method === 'tools/call')
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(bind(url, 'say', { timeout_seconds: 1 }), {}))).toBe('timeout sent')
    const asked = seen.find(({ method }) => method === 'tools/call')?.body?.id
    await vi.waitFor(() =>
      expect(seen.find(({ method }) => method === 'notifications/cancelled')?.body?.params.requestId).toBe(
        asked,
      ),
    )
  })

  test.each<[string, (rpc: Rpc, response: ServerResponse) => unknown, string]>([
    ['an error status', (_, response) => response.writeHead(401).end('who?'), 'http_status sent 401'],
    ['another id', (rpc, response) => json(response, (rpc.id ?? 0) + 1, answerOf(rpc)), 'protocol sent'],
    [
      'a fault',
      (rpc, response) => {
        events(response, { id: rpc.id, error: { code: 1, message: 'x' } })
        response.end()
      },
      'protocol sent',
    ],
    [
      'no answer in its stream',
      (_, response) => {
        events(response, { method: 'x' })
        response.end()
      },
      'protocol sent',
    ],
    [
      'a stream without end',
      (_, response) => events(response, { method: 'x'.repeat(300_000) }),
      'too_large sent',
    ],
    [
      'a large answer',
      (rpc, response) => json(response, rpc.id, { content: ['x'.repeat(300_000)] }),
      'too_large sent',
    ],
    [
      'a redirect that loses the method',
      (_, response) => response.writeHead(302, { location: '/' }).end(),
      'protocol sent',
    ],
    [
      'a redirect inwards',
      (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      'refused_address sent',
    ],
  ])('that answers with %s', async (_, act, outcome) => {
    const { url } = await serveMcp((rpc, response) => {
      if (rpc.method !== 'tools/call') return false
      act(rpc, response)
      return true
    })
    expect(await failureOf(openUpstreams().call(bind(url, 'say'), {}))).toBe(outcome)
  })

  test('that refuses the greeting has been sent nothing; the next call greets it again', async () => {
    let refuse = true
    const { url } = await serveMcp((_, response) => {
      if (refuse) response.writeHead(500).end()
      return refuse
    })
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(bind(url, 'say'), {}))).toBe('http_status unsent 500')
    refuse = false
    expect(await failureOf(upstreams.call(bind(url, 'say'), {}))).toContain('answered')
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
