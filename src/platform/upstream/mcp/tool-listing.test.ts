import { expect, test } from 'vitest'
import { failureOf, fake, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { type McpServer, type ServerEvent, serverId } from './server-events.ts'
import type { ListedTool } from './tool-listing.ts'

interface Rpc {
  id?: number
  method: string
  params: { cursor?: string }
}
type Listed = (asked: number, cursor: string | undefined) => { tools: unknown[]; nextCursor?: string }

/** A server over HTTP that lists what it is told to; its tool `change` says that the list is another now. */
async function lister(list: Listed, greeting: (nth: number) => string = () => 'session') {
  const state = { asked: 0, calls: 0, greeted: 0 }
  const { url } = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (text === '') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(text) as Rpc
    if (id === undefined) return void response.writeHead(202).end()
    const session = request.headers['mcp-session-id']
    if (session !== undefined && session !== greeting(state.greeted))
      return void response.writeHead(404).end()
    const results: Record<string, () => object> = {
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }),
      'tools/list': () => list(++state.asked, params.cursor),
      'tools/call': () => ({ content: [{ type: 'text', text: `call ${++state.calls}` }] }),
    }
    if (method === 'initialize') response.setHeader('mcp-session-id', greeting(++state.greeted))
    response.setHeader('content-type', 'text/event-stream')
    const say = (message: object) =>
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    if (method === 'tools/call') say({ method: 'notifications/tools/list_changed' })
    say({ id, result: results[method]?.() })
    response.end()
  })
  const server = ToolProvider.parse({ kind: 'mcp', url, tool: 'say' }) as McpServer & ToolProvider
  return { server, state }
}

function listening() {
  const heard: ServerEvent[] = []
  return { heard, upstreams: openUpstreams({ onServer: (event) => void heard.push(event) }) }
}

const page = (n: number) => ({ name: `tool${n}`, description: 'says it', 'x-own': [n] })

test('a listing has every page, in order and with all that the server says', async () => {
  const { server } = await lister((_, cursor) =>
    cursor === 'two' ? { tools: [page(2), page(1)] } : { tools: [page(1)], nextCursor: 'two' },
  )
  const { upstreams } = listening()
  expect(await upstreams.listTools(server)).toEqual({
    tools: [page(1), page(2), page(1)],
    unusable: 0,
    unreadable: [],
    is_cut: false,
  })
})

test('a listing of a child process has the tools of the session that calls use', async () => {
  const { heard, upstreams } = listening()
  const provider = fake('good', 'grow')
  const server = provider as McpServer
  const { tools, is_cut } = await upstreams.listTools(server)
  expect([is_cut, tools.some(({ name }) => name === 'extra')]).toEqual([false, false])
  await upstreams.call(provider, {})
  expect((await upstreams.listTools(server)).tools.at(-1)).toEqual({ name: 'extra' })
  expect(heard).toEqual([
    { kind: 'session_begun', server: serverId(server) },
    { kind: 'tools_changed', server: serverId(server) },
  ])
})

test.each<[string, Listed, isCut?: boolean]>([
  ['pages without end', (asked) => ({ tools: [{ name: `t${asked}` }], nextCursor: String(asked) })],
  ['too many tools', () => ({ tools: Array.from({ length: 10_001 }, (_, n) => ({ name: `t${n}` })) })],
  [
    'too much text',
    (_, cursor) => ({
      tools: [{ name: 't1' }, { name: cursor ?? '', d: 'x'.repeat(3e6) }],
      nextCursor: `${cursor}.`,
    }),
  ],
  ['a name that is none', () => ({ tools: [{ name: 't1' }, { name: 7 }] }), false],
  ['a thing that is no tool', () => ({ tools: [{ name: 't1' }, null] }), false],
  [
    'a definition nested without end',
    () => ({
      tools: [{ name: 't1' }, { name: 'deep', schema: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) }],
    }),
    false,
  ],
])('a listing with %s says so, and calls of the others go on', async (_, list, isCut = true) => {
  const { server } = await lister(list)
  const { upstreams } = listening()
  const { tools, unusable, unreadable, is_cut } = await upstreams.listTools(server)
  expect([is_cut, unusable + unreadable.length, tools.length > 0 && tools.length <= 10_000]).toEqual([
    isCut,
    isCut ? 0 : 1,
    true,
  ])
  expect(await failureOf(upstreams.call({ ...server, tool: 't1' } as ToolProvider, {}))).toContain('call 1')
})

test('who vets sees each definition of the name before the call is sent, and can end it', async () => {
  let description = 'as reviewed'
  const { server, state } = await lister(() => ({ tools: [{ name: 'say', description }, { name: 'say' }] }))
  const { heard, upstreams } = listening()
  const seen: (readonly ListedTool[])[] = []
  const vet = (listed: readonly ListedTool[]) => {
    seen.push(listed)
    if (listed[0]?.description !== 'as reviewed') throw new UpstreamFailure('tool_missing', false)
  }
  await upstreams.call(server, {}, { vet })
  expect(seen[0]).toEqual([{ name: 'say', description: 'as reviewed' }, { name: 'say' }])
  description = 'as nobody knows it'
  // The first call announced a change: the next one lists anew before it is sent.
  expect(await failureOf(upstreams.call(server, {}, { vet }))).toBe('tool_missing unsent')
  expect([state.calls, state.asked]).toEqual([1, 2])
  expect(heard.map(({ kind }) => kind)).toEqual(['session_begun', 'tools_changed'])
})

test('the same listing is vetted as the same array, another one as another', async () => {
  const upstreams = openUpstreams()
  const [echo, grow] = [fake('good', 'echo'), fake('good', 'grow')]
  const seen: unknown[] = []
  const vet = (listed: readonly ListedTool[]) => void seen.push(listed)
  for (const provider of [echo, echo, grow, echo]) await upstreams.call(provider, {}, { vet })
  expect([seen[0] === seen[1], seen[0] === seen[3]]).toEqual([true, false])
})

test('a session that the server lost begins anew, and is vetted anew', async () => {
  let nth = 1
  const { server, state } = await lister(
    () => ({ tools: [{ name: 'say', description: String(nth) }] }),
    () => `session-${nth}`,
  )
  const { heard, upstreams } = listening()
  const seen: unknown[] = []
  const vet = ([tool]: readonly ListedTool[]) => void seen.push(tool?.description)
  await upstreams.call(server, {}, { vet })
  nth = 2
  await upstreams.listTools(server)
  nth = 3
  await upstreams.call(server, {}, { vet })
  expect(heard.map(({ kind }) => kind).filter((kind) => kind === 'session_begun')).toHaveLength(3)
  expect([seen, state.calls]).toEqual([['1', '2', '3'], 2])
})

test('a server is one, whatever its tool, its bounds and the order in which it is written', () => {
  const one = { kind: 'mcp', command: ['x'], tool: 'a', env: ['A'], timeout_seconds: 3 }
  const other = { tool: 'b', env: ['A'], command: ['x'], kind: 'mcp' }
  const ids = [one, other, { ...one, env: [] }].map((raw) => serverId(ToolProvider.parse(raw) as McpServer))
  expect([ids[0] === ids[1], ids[0] === ids[2]]).toEqual([true, false])
})
