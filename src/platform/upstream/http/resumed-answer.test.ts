import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { failureOf, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'

type Ways = Record<
  'call' | 'resume',
  (response: ServerResponse, id: number, request: IncomingMessage) => void
>

/** A server whose streams do what they are told. */
async function server({ call, resume }: Ways) {
  const seen = { calls: 0, resumes: [] as (string | undefined)[] }
  let asked = 0
  const { url } = await serve(async (request, response) => {
    if (request.method === 'GET') {
      seen.resumes.push(request.headers['last-event-id'] as string | undefined)
      return resume(response, asked, request)
    }
    // The end of a session is told without a body.
    if (request.method !== 'POST') return void response.writeHead(200).end()
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method } = JSON.parse(text) as { id?: number; method: string }
    if (id === undefined) return void response.writeHead(202).end()
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} } },
      'tools/list': { tools: [{ name: 'say' }] },
    }
    response.setHeader('mcp-session-id', 'one')
    if (method !== 'tools/call') {
      response.setHeader('content-type', 'application/json')
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
    }
    seen.calls++
    asked = id
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return call(response, id, request)
  })
  return { provider: ToolProvider.parse({ kind: 'mcp', url, tool: 'say', timeout_seconds: 10 }), seen }
}

const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const answer = (id: number) =>
  `id: 9\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } })}\n\n`

test.each<[string, (response: ServerResponse) => void]>([
  ['ends', (response) => void response.end('id: e1\nretry: 20\ndata:\n\n')],
  [
    'is cut',
    (response) =>
      void response.write('id: e1\nretry: 20\ndata:\n\n', () => setTimeout(() => response.destroy(), 50)),
  ],
])(
  'an answer whose stream %s is taken up where it broke off; the call is not sent again',
  async (_, call) => {
    const { provider, seen } = await server({
      call,
      resume: (response, id) => void open(response).end(answer(id)),
    })
    const { result } = (await openUpstreams().call(provider, {})) as { result: object }
    expect(result).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(seen).toEqual({ calls: 1, resumes: ['e1'] })
  },
)

test('a stream that breaks off again and again is taken up from the last event each time', async () => {
  let nth = 0
  const again = (response: ServerResponse, id: number) =>
    void open(response).end(++nth < 4 ? `id: r${nth}\nretry: 20\ndata:\n\n` : answer(id))
  const { provider, seen } = await server({
    call: (response) => void response.end('id: e1\nretry: 20\ndata:\n\n'),
    resume: again,
  })
  await openUpstreams().call(provider, {})
  expect(seen).toEqual({ calls: 1, resumes: ['e1', 'r1', 'r2', 'r3'] })
})

test.each([404, 400, 405])(
  'a server that knows nothing of the stream (%i) is not asked to do it again',
  async (status) => {
    const { provider, seen } = await server({
      call: (response) => void response.end('id: e1\nretry: 20\ndata:\n\n'),
      resume: (response) => void response.writeHead(status).end(),
    })
    expect(await failureOf(openUpstreams().call(provider, {}))).toBe('unreachable sent')
    expect(seen.calls).toBe(1)
  },
)

test('a stream without a mark is a failure that counts as sent', async () => {
  const { provider, seen } = await server({
    call: (response) => void response.end('data: {}\n\n'),
    resume: (response) => void response.writeHead(405).end(),
  })
  expect(await failureOf(openUpstreams().call(provider, {}))).toBe('protocol sent')
  expect(seen).toEqual({ calls: 1, resumes: [] })
})
