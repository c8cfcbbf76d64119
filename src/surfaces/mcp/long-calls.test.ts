import { afterEach, expect, test, vi } from 'vitest'
import { legacy, META, MODERN, modern } from './fast-path-cases.fixture.ts'
import { SAMPLE_CALLER, type SampleServer, startSampleServer } from './sample-host.fixture.ts'

const running: SampleServer[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

async function start(...args: Parameters<typeof startSampleServer>): Promise<SampleServer> {
  const server = await startSampleServer(...args)
  running.push(server)
  return server
}

interface Frame {
  method?: string
  params?: { progressToken?: string; progress?: number; _meta?: object }
  result?: { structuredContent?: object; resultType?: string }
}

function framesOf(text: string): Frame[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Frame)
}

const SLOW = { name: 'slow', arguments: { ms: 400 } }
const ENVELOPE = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} }

test.each([
  ['2025, fast path', true, legacy('tools/call', { ...SLOW, _meta: { progressToken: 'p' } })],
  ['2025, SDK', false, legacy('tools/call', { ...SLOW, _meta: { progressToken: 'p' } })],
  ['2026, fast path', true, modern('tools/call', { ...SLOW, _meta: { ...ENVELOPE, progressToken: 'p' } })],
  ['2026, SDK', false, modern('tools/call', { ...SLOW, _meta: { ...ENVELOPE, progressToken: 'p' } })],
])('a client that asks for it hears that its call still runs: %s', async (_name, fastPath, sent) => {
  const server = await start({ fastPath, progressMs: 30 })
  const response = await fetch(server.url, { method: 'POST', ...(sent as RequestInit) })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const frames = framesOf(await response.text())
  const told = frames.slice(0, -1)
  expect(told.length).toBeGreaterThanOrEqual(2)
  expect(told.map(({ method }) => method)).toEqual(told.map(() => 'notifications/progress'))
  expect(told.map(({ params }) => params?.progressToken)).toEqual(told.map(() => 'p'))
  expect(told.map(({ params }) => params?.progress)).toEqual(told.map((_, at) => at + 1))
  expect(frames.at(-1)?.result?.structuredContent).toEqual({ args: 'late' })
  expect(server.mcp.answered.fast).toBe(fastPath ? 1 : 0)
})

test('a client of 2026 gets headers while a long call runs, and its answer as a stream', async () => {
  const server = await start({ keepAliveMs: 25 })
  const response = await fetch(server.url, { method: 'POST', ...(modern('tools/call', SLOW) as RequestInit) })
  const text = await response.text()
  expect(text.startsWith(': keepalive\n\n')).toBe(true)
  expect(framesOf(text)).toMatchObject([{ result: { resultType: 'complete' } }])
  const quick = modern('tools/call', { name: 'echo', arguments: {} })
  const short = await fetch(server.url, { method: 'POST', ...(quick as RequestInit) })
  expect(short.headers.get('content-type')).toBe('application/json')
})

test('who listens hears when its own list has changed, and of no other', async () => {
  const caller = { ...SAMPLE_CALLER, mayEcho: true }
  const server = await start({ lookMs: 20 }, caller)
  const asked = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const leave = new AbortController()
  const response = await fetch(server.url, {
    method: 'POST',
    ...(asked as RequestInit),
    signal: leave.signal,
  })
  let seen = ''
  const reading = (async () => {
    for await (const part of response.body ?? []) seen += Buffer.from(part).toString()
  })().catch(() => {})
  const methods = () => framesOf(seen).map(({ method }) => method)
  await vi.waitFor(() => expect(methods()).toEqual(['notifications/subscriptions/acknowledged']))
  // Nothing has changed, so nothing is told.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(methods()).toHaveLength(1)
  caller.mayEcho = false
  await vi.waitFor(() => expect(methods()).toHaveLength(2))
  expect(methods()[1]).toBe('notifications/tools/list_changed')
  leave.abort()
  await reading
})

test('a list comes page by page only where it is long, and a made-up cursor is an error', async () => {
  const server = await start({ fastPath: false })
  const ask = async (cursor: string) => {
    const sent = legacy('tools/list', { cursor })
    return framesOf(await (await fetch(server.url, { method: 'POST', ...(sent as RequestInit) })).text())
  }
  for (const cursor of ['from-500', 'from--1', 'x', 'from-1e9', ''])
    expect([cursor, await ask(cursor)]).toMatchObject([cursor, [{ error: { code: -32_602 } }]])
})
