import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, legacy, ODD, PLAIN } from './fast-path-cases.fixture.ts'
import { anyExchange } from './fast-path-random.fixture.ts'
import { type SampleServer, startSampleServer } from './sample-host.fixture.ts'

let fast: SampleServer
let plain: SampleServer
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

beforeAll(async () => {
  fast = await startSampleServer()
  plain = await startSampleServer({ fastPath: false })
})
afterAll(async () => {
  agent.destroy()
  await Promise.all([fast.close(), plain.close()])
})

/** What a client can tell two answers apart by. Length and chunking are transport, not answer. */
const COMPARED = [
  'content-type',
  'cache-control',
  'connection',
  'x-accel-buffering',
  'allow',
  'mcp-session-id',
]

async function exchange(server: SampleServer, { headers, body, method = 'POST' }: Exchange) {
  const sent = request({ host: '127.0.0.1', port: server.port, path: '/mcp', method, headers, agent })
  sent.end(body)
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
  })
  const seen = Object.fromEntries(COMPARED.map((name) => [name, response.headers[name]]))
  return { status: response.statusCode, headers: seen, body: await text(response) }
}

/** Both servers answer alike and let the same calls through to the host. */
async function expectSame(sent: Exchange) {
  fast.host.calls.length = 0
  plain.host.calls.length = 0
  const [withFast, withSdk] = await Promise.all([exchange(fast, sent), exchange(plain, sent)])
  expect(withFast).toStrictEqual(withSdk)
  expect(fast.host.calls).toStrictEqual(plain.host.calls)
  return withFast
}

async function wasFast(sent: Exchange): Promise<boolean> {
  const before = fast.mcp.answered.fast
  await expectSame(sent)
  return fast.mcp.answered.fast > before
}

describe('the fast path', () => {
  test.each(PLAIN)('takes and answers as the SDK: %s', async (_name, sent) => {
    expect(await wasFast(sent)).toBe(true)
  })

  test.each(ODD)('leaves to the SDK or answers alike: %s', async (_name, sent) => {
    await expectSame(sent)
  })

  test('the plain ones are answered, so equality is not that of two failures', async () => {
    const { body, status } = await expectSame(
      legacy('tools/call', { name: 'echo', arguments: { text: 'x' } }),
    )
    expect(status).toBe(200)
    expect(JSON.parse(body.slice(body.indexOf('data: ') + 6)).result).toEqual({
      content: [{ type: 'text', text: '{"args":{"text":"x"}}' }],
      structuredContent: { args: { text: 'x' } },
    })
  })

  test('any request made of plain and odd parts is answered as the SDK does', async () => {
    const before = { ...fast.mcp.answered }
    await fc.assert(
      fc.asyncProperty(anyExchange(), async (sent) => void (await expectSame(sent))),
      { numRuns: 600 },
    )
    expect(fast.mcp.answered.fast - before.fast).toBeGreaterThan(50)
    expect(fast.mcp.answered.sdk - before.sdk).toBeGreaterThan(50)
  })
})
