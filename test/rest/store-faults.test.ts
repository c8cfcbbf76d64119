import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { reportFault } from '../../src/operations/report-fault.ts'
import { type Statement, sql, type Transaction } from '../../src/platform/storage/database.ts'
import { connectionFaults } from '../../src/surfaces/http/connection-faults.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { makeTestHome } from '../harness/test-hub.ts'
import { head, sendRaw } from './raw-http.fixture.ts'
import { recorded, send, startRestHub } from './rest-hub.fixture.ts'
import { answerOf } from './routes.fixture.ts'

const PATH = '/api/v1/whoami'

test('who cannot be checked because the store fails is told so, on record, and not let in', async () => {
  await using hub = await startRestHub()
  const { viewer, hub: owner } = hub.credentials.bearers
  await hub.hub.db.transaction((tx) => tx.run(sql('DROP TABLE tokens')))
  const { result, records } = await recorded(hub, () => send(hub.url, { path: PATH, bearer: viewer }))
  expect(answerOf(result)).toBe('500 RUNTIME_ERROR')
  expect(records).toMatchObject([{ operation: 'whoami', outcome: 'failed', code: 'RUNTIME_ERROR' }])
  expect(hub.logged.join()).not.toContain(viewer)
  expect(answerOf(await send(hub.url, { method: 'POST', path: '/mcp', bearer: viewer, body: '{}' }))).toBe(
    '500 RUNTIME_ERROR',
  )
  // The hub's own token does not need that table.
  expect((await send(hub.url, { path: PATH, bearer: owner })).status).toBe(200)
})

test('a store that is gone answers 503 everywhere', async () => {
  await using hub = await startRestHub()
  const { viewer, hub: owner } = hub.credentials.bearers
  await hub.hub.db.close()
  for (const bearer of [viewer, owner, undefined])
    expect(answerOf(await send(hub.url, { path: PATH, bearer }))).toBe('503 STORAGE_UNAVAILABLE')
  const atMcp = async (bearer: string | undefined) =>
    answerOf(await send(hub.url, { method: 'POST', path: '/mcp', bearer, body: '{}' }))
  expect(await atMcp(viewer)).toBe('503 STORAGE_UNAVAILABLE')
  // One more refusal of a stranger is counted, which needs no store.
  expect(await atMcp(undefined)).toBe('401 UNAUTHENTICATED')
  expect((await send(hub.url, { path: '/healthz' })).status).toBe(503)
  expect((await send(hub.url, { path: '/openapi.json' })).status).toBe(200)
})

test('a store that hangs is told to those who watch, by one probe at a time', async () => {
  await using hub = await startRestHub()
  const fault = Promise.withResolvers<never>()
  fault.promise.catch(() => {})
  const hangs = () => fault.promise
  let probes = 0
  const run = ({ text }: Statement<unknown>) => {
    if (text.includes('health_probe')) probes++
    return hangs()
  }
  const hanging = { get: hangs, all: hangs, run } as unknown as Transaction
  const { transaction, get } = hub.hub.db
  const begin = (work: (tx: Transaction) => Promise<unknown>) => work(hanging)
  const asked = vi.fn((_statement: Statement<unknown>) => hangs())
  Object.assign(hub.hub.db, { transaction: begin, get: asked })
  try {
    for (const _ of ['first', 'second']) {
      expect((await send(hub.url, { path: '/healthz' })).status).toBe(503)
      const { status, text } = await send(hub.url, { path: '/metrics' })
      expect([status, text]).toEqual([200, expect.stringContaining('knowtation_toolbox_alerts')])
    }
    const counts = asked.mock.calls.filter(([{ text }]) => text.includes('toolbox_alerts'))
    expect([probes, counts.length]).toEqual([1, 1])
  } finally {
    Object.assign(hub.hub.db, { transaction, get })
    // A store that hangs fails in the end; what waits for it would keep the hub from closing.
    fault.reject(new Error('the store is gone'))
  }
}, 30_000)

test.each(['', '\n', 'khub_short\n', 'secret'])(
  'a hub token of "%s" stops the start and is named',
  async (text) => {
    await using made = await makeTestHome()
    writeFileSync(made.home.hubToken, text)
    await expect(startHub({ ...made.options, host: '127.0.0.1', port: 0 })).rejects.toThrow(
      made.home.hubToken,
    )
  },
)

test('the log of a fault has its place and nothing of its message', () => {
  const logged: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void logged.push(fields) }
  reportFault(log, 'flow_get', new TypeError('sent:\n    at sekret (file.ts:1:1)\n    at $& sekret'))
  expect(logged).toMatchObject([{ operation: 'flow_get', fault: 'TypeError' }])
  expect(JSON.stringify(logged)).not.toContain('sekret')
  expect(JSON.stringify(logged)).toContain('store-faults.test.ts')
})

test('the time a request may take to arrive is limited', async () => {
  await using made = await makeTestHome()
  const running = await startHub({ ...made.options, host: '127.0.0.1', port: 0 })
  try {
    const { requestTimeout, headersTimeout } = running.app.server
    expect(requestTimeout).toBeGreaterThan(0)
    expect(requestTimeout).toBeLessThanOrEqual(60_000)
    expect(headersTimeout).toBeGreaterThan(0)
  } finally {
    await running.stop()
  }
})

test('a request that takes too long to arrive is answered and the connection closed', async () => {
  const limits = { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 }
  const server = createServer(limits, (request) => request.resume())
  const faults = connectionFaults()
  server.on('request', faults.follow).on('clientError', faults.answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const slow = [
      head('POST / HTTP/1.1', 'Host: 127.0.0.1', 'Content-Length: 100') + '{"half":',
      'GET / HTTP/1.1\r\nHost: 127',
    ]
    for (const text of slow) {
      const reply = await sendRaw(url, text)
      expect([reply.status, JSON.parse(reply.body)]).toMatchObject([408, { code: 'REQUEST_TIMEOUT' }])
      expect(reply.headers).toMatchObject({ connection: 'close', 'x-content-type-options': 'nosniff' })
    }
  } finally {
    await new Promise((closed) => server.close(closed))
  }
})
