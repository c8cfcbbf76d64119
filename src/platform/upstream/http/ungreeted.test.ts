import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { failureOf, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'

interface Rpc {
  readonly id?: number
  readonly method?: string
  readonly params: { readonly _meta?: object; readonly arguments?: object; readonly [name: string]: unknown }
}
interface Asked extends Rpc {
  readonly headers: IncomingHttpHeaders
}
type Act = (asked: Asked, response: ServerResponse, answer: (result: object) => void) => boolean

const VERSION = '2026-07-28'
const REGION = { type: 'string', 'x-mcp-header': 'Region' }
const sayTool = (properties: object = { region: REGION }) => ({
  name: 'say',
  inputSchema: { type: 'object', properties },
})

/** An MCP server of 2026-07-28, but for what `act` does instead. */
async function serveUngreeted(act: Act = () => false, listed: () => object = () => ({ tools: [sayTool()] })) {
  const seen: Asked[] = []
  const served = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const asked: Asked = { ...(JSON.parse(text || '{"params":{}}') as Rpc), headers: request.headers }
    seen.push(asked)
    const answer = (result: object) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }))
    }
    if (act(asked, response, answer)) return
    if (asked.method === 'server/discover')
      answer({ resultType: 'complete', supportedVersions: [VERSION], capabilities: { tools: {} } })
    else if (asked.method === 'tools/list') answer({ resultType: 'complete', ...listed() })
    else if (asked.method === 'tools/call')
      answer({
        resultType: 'complete',
        content: [{ type: 'text', text: JSON.stringify(asked.params.arguments) }],
      })
    else refuse(response, 404, -32_601)
  })
  return { ...served, seen, methods: () => seen.map(({ method }) => method) }
}

function refuse(response: ServerResponse, status: number, code: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'no' } }))
}

const bind = (url: string, tool = 'say', more: object = {}) =>
  ToolProvider.parse({ kind: 'mcp', url, tool, ...more })
const ABOUT_US = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'knowtation', version: expect.any(String) },
}

describe('an MCP server of 2026-07-28', () => {
  test('is asked without a greeting, and told with each request who asks for what', async () => {
    const { url, seen, methods } = await serveUngreeted()
    const upstreams = openUpstreams()
    const answer = await upstreams.call(bind(url), { region: 'eu', n: 1 })
    expect(answer).toEqual({
      kind: 'mcp',
      result: { content: [{ type: 'text', text: '{"region":"eu","n":1}' }] },
    })
    await upstreams.call(bind(url), { n: 2 })
    await upstreams.close()
    expect(methods()).toEqual(['server/discover', 'tools/list', 'tools/call', 'tools/call'])
    for (const { params, headers, method } of seen) {
      expect(params._meta).toEqual(ABOUT_US)
      expect(headers).toMatchObject({ 'mcp-protocol-version': VERSION, 'mcp-method': method })
      expect(headers).not.toHaveProperty('mcp-session-id')
    }
    expect(seen[2]?.headers).toMatchObject({ 'mcp-name': 'say', 'mcp-param-region': 'eu' })
    expect(seen[3]?.headers).not.toHaveProperty('mcp-param-region')
    expect(new Set(seen.map(({ id }) => id)).size).toBe(4)
  })

  test.each([
    ['Hällo', '=?base64?SMOkbGxv?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['two\r\nx-evil: 1', '=?base64?dHdvDQp4LWV2aWw6IDE=?='],
    ['=?base64?aGk=?=', '=?base64?PT9iYXNlNjQ/YUdrPT89?='],
    ['', '=?base64??='],
    ['a b', 'a b'],
  ])('gets the parameter %j mirrored as %j', async (region, header) => {
    const { url, seen } = await serveUngreeted()
    await openUpstreams().call(bind(url), { region })
    expect(seen.at(-1)?.headers).toMatchObject({ 'mcp-param-region': header })
  })

  test('gets numbers and truth values from where they lie, and nothing where none lies', async () => {
    const nested = { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } }
    const properties = { count: { type: 'integer', 'x-mcp-header': 'Count' }, nested }
    const { url, seen } = await serveUngreeted(undefined, () => ({ tools: [sayTool(properties)] }))
    const upstreams = openUpstreams()
    await upstreams.call(bind(url), { count: -7, nested: { on: false } })
    expect(seen.at(-1)?.headers).toMatchObject({ 'mcp-param-count': '-7', 'mcp-param-on': 'false' })
    await upstreams.call(bind(url), { count: null, nested: 'no object' })
    expect(Object.keys(seen.at(-1)?.headers ?? {}).join()).not.toContain('mcp-param-')
  })

  test.each<[string, object]>([
    ['empty', { a: { type: 'string', 'x-mcp-header': '' } }],
    ['no token', { a: { type: 'string', 'x-mcp-header': 'A\r\nB: c' } }],
    ['on an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
    ['on any number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['twice', { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }],
    ['in items', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['in a choice', { a: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
  ])('whose tool marks a header wrongly (%s) loses that tool alone', async (_, properties) => {
    const bad = { ...sayTool(properties), name: 'bad' }
    const { url } = await serveUngreeted(undefined, () => ({ tools: [bad, sayTool()] }))
    const upstreams = openUpstreams()
    expect(await upstreams.listTools(bind(url) as never)).toMatchObject({
      tools: [{ name: 'say' }],
      unreadable: ['bad'],
    })
    expect(await failureOf(upstreams.call(bind(url, 'bad'), {}))).toBe('tool_missing unsent')
    expect(await failureOf(upstreams.call(bind(url), {}))).toContain('answered')
  })

  test('a parameter may be called as the mark is', async () => {
    const properties = {
      'x-mcp-header': { type: 'object' },
      a: { type: 'string', default: { 'x-mcp-header': 1 } },
    }
    const { url } = await serveUngreeted(undefined, () => ({ tools: [sayTool(properties)] }))
    expect(await failureOf(openUpstreams().call(bind(url), {}))).toContain('answered')
  })

  test('that says the headers are others by now is asked what it wants, and asked again once', async () => {
    let turned_away = 0
    const { url, methods } = await serveUngreeted(
      ({ method, headers }, response) => {
        if (method !== 'tools/call' || headers['mcp-param-area'] !== undefined) return false
        turned_away++
        refuse(response, 400, -32_020)
        return true
      },
      () => ({
        tools: [sayTool({ region: { type: 'string', 'x-mcp-header': turned_away ? 'Area' : 'Region' } })],
      }),
    )
    expect(await failureOf(openUpstreams().call(bind(url), { region: 'eu' }))).toContain('answered')
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(2)
  })

  test('that asks back is declined, and gets its note again with that call alone', async () => {
    const { url, seen } = await serveUngreeted(({ method, params }, _, answer) => {
      if (method !== 'tools/call' || params.inputResponses) return false
      const inputRequests = { sure: { method: 'elicitation/create', params: { message: 'Sure?' } } }
      answer({ resultType: 'input_required', inputRequests, requestState: '{"n": 1}' })
      return true
    })
    const upstreams = openUpstreams()
    await upstreams.call(bind(url), { n: 1 })
    const [first, second] = seen.filter(({ method }) => method === 'tools/call')
    expect(second?.params).toMatchObject({
      arguments: { n: 1 },
      inputResponses: { sure: { action: 'decline' } },
      requestState: '{"n": 1}',
    })
    expect(second?.id).not.toBe(first?.id)
    expect(first?.params).not.toHaveProperty('requestState')
  })

  test('a call given up is told by the end of its connection, and by no message', async () => {
    let closed = false
    const { url, methods } = await serveUngreeted(({ method }, response) => {
      if (method === 'tools/call') response.on('close', () => (closed = true))
      return method === 'tools/call'
    })
    expect(await failureOf(openUpstreams().call(bind(url, 'say', { timeout_seconds: 1 }), {}))).toBe(
      'timeout sent',
    )
    await vi.waitFor(() => expect(closed).toBe(true))
    expect(methods()).not.toContain('notifications/cancelled')
  })

  test('a stream that breaks off is not taken up again, and the call not repeated', async () => {
    const { url, seen } = await serveUngreeted(({ method }, response) => {
      if (method !== 'tools/call') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('id: 1\nretry: 20\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n')
      return true
    })
    expect(await failureOf(openUpstreams().call(bind(url), {}))).toBe('protocol sent')
    expect(seen.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
    expect(seen.every(({ headers }) => headers['last-event-id'] === undefined)).toBe(true)
  })

  test('is listened to for changes, and asked anew after each', async () => {
    let listed = 0
    let stream: ServerResponse | undefined
    const { url, seen } = await serveUngreeted(
      ({ method, id }, response, answer) => {
        if (method === 'server/discover')
          answer({ supportedVersions: [VERSION], capabilities: { tools: { listChanged: true } } })
        if (method !== 'subscriptions/listen') return method === 'server/discover'
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const acknowledged = {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { id },
        }
        response.write(`data: ${JSON.stringify(acknowledged)}\n\n`)
        stream = response
        return true
      },
      () => ({ tools: [sayTool(), { name: `list${++listed}` }], ttlMs: 600_000 }),
    )
    const upstreams = openUpstreams()
    await upstreams.call(bind(url), {})
    await upstreams.call(bind(url), {})
    expect(listed).toBe(1)
    await vi.waitFor(() => expect(stream).toBeDefined())
    stream?.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
    await vi.waitFor(async () => {
      await upstreams.call(bind(url), {})
      expect(listed).toBe(2)
    })
    expect(seen.find(({ method }) => method === 'subscriptions/listen')).toMatchObject({
      params: { notifications: { toolsListChanged: true }, _meta: ABOUT_US },
      headers: { 'mcp-method': 'subscriptions/listen', 'mcp-protocol-version': VERSION },
    })
  })

  test('a list is good for as long as its server says, at least five seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      let listed = 0
      const { url } = await serveUngreeted(undefined, () => ({
        tools: [sayTool()],
        ttlMs: listed++ ? 60_000 : 0,
      }))
      const upstreams = openUpstreams()
      const callAfter = async (ms: number) => {
        vi.setSystemTime(Date.now() + ms)
        vi.advanceTimersByTime(ms)
        await upstreams.call(bind(url), {})
        return listed
      }
      expect(await callAfter(0)).toBe(1)
      expect(await callAfter(4_900)).toBe(1)
      expect(await callAfter(200)).toBe(2)
      expect(await callAfter(59_000)).toBe(2)
      expect(await callAfter(2_000)).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that becomes one from before is greeted then, and the call made once', async () => {
    let is_old = false
    const called: unknown[] = []
    const { url } = await serveUngreeted(({ method, params, headers }, response, answer) => {
      if (!is_old) return false
      if (method === 'initialize') answer({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} })
      else if (headers['mcp-protocol-version'] === VERSION) response.writeHead(400).end('Bad request')
      else if (method === 'tools/call') called.push(params.arguments)
      if (method !== 'tools/call' || headers['mcp-protocol-version'] === VERSION)
        return method !== 'tools/list' || headers['mcp-protocol-version'] === VERSION
      return false
    })
    const upstreams = openUpstreams()
    await upstreams.call(bind(url), { n: 1 })
    is_old = true
    expect(await failureOf(upstreams.call(bind(url), { n: 2 }))).toContain('answered')
    expect(called).toEqual([{ n: 2 }])
  })

  test('a refusal of the call itself is told, and not taken for another server', async () => {
    const { url, methods } = await serveUngreeted(({ method }, response) => {
      if (method === 'tools/call') refuse(response, 400, -32_602)
      return method === 'tools/call'
    })
    expect(await failureOf(openUpstreams().call(bind(url), {}))).toBe('http_status sent 400')
    expect(methods().slice(-2)).toEqual(['tools/call', 'server/discover'])
  })

  test('that wants a credential says so at once, and one that is down is not greeted', async () => {
    for (const status of [401, 403, 429, 503]) {
      const { url, methods } = await serveUngreeted((_, response) =>
        Boolean(response.writeHead(status).end()),
      )
      expect(await failureOf(openUpstreams().call(bind(url), {}))).toBe(`http_status unsent ${status}`)
      expect(methods()).toEqual(['server/discover'])
    }
  })
})
