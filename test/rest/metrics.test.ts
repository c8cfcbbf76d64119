import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { realSystem } from '../../src/platform/basics/system.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { DATABASES, makeTestHome, type TestHub } from '../harness/test-hub.ts'
import { send, startRestHub } from './rest-hub.fixture.ts'

let hub: TestHub | undefined
afterEach(() => hub?.close())

describe.each(DATABASES)('the numbers of a hub on %s', (database) => {
  test('tell what waits, how large the store is and what runs', async () => {
    hub = await startRestHub({ database })
    const { text } = await send(hub.url, { path: '/metrics' })
    const value = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.split(' ')
          .at(-1),
      )
    expect(value('knowtation_store_waiting')).toBe(0)
    expect(value('knowtation_store_wait_seconds_total')).toBeGreaterThanOrEqual(0)
    expect(value('knowtation_audit_pruned_up_to_record')).toBe(0)
    expect(value('knowtation_takeovers_total{what="run"}')).toBe(0)
    expect(value('knowtation_takeovers_total{what="execution"}')).toBe(0)
    expect(value('knowtation_database_bytes{part="database"}')).toBeGreaterThan(1_000)
    expect(value('knowtation_under_way{what="dead_letter",state="open"}')).toBe(0)
    expect(value('knowtation_under_way{what="delivery",state="waiting"}')).toBe(0)
    expect(value('knowtation_dropped_connections_total')).toBe(0)
    expect(text).toMatch(
      new RegExp(`^knowtation_build_info\\{version="[^"]+",node="[^"]+",database="${database}"\\} 1$`, 'm'),
    )
    if (database === 'sqlite') expect(value('knowtation_database_bytes{part="wal"}')).toBeGreaterThan(0)
  })
})

test('a call that changes something is counted as one that reads, and so is one that is refused', async () => {
  hub = await startRestHub()
  const { admin, viewer } = hub.credentials.bearers
  const body = '{"role":"viewer"}'
  const headers = { 'content-type': 'application/json' }
  for (const bearer of [admin, viewer])
    await send(hub.url, { method: 'POST', path: '/api/v1/tokens', bearer, body, headers })
  await send(hub.url, { path: '/api/v1/whoami', bearer: viewer })
  const { text } = await send(hub.url, { path: '/metrics' })
  const counted = text
    .split('\n')
    .filter((line) => /^knowtation_calls_total.*(token_create|whoami)/.test(line))
  expect(counted.map((line) => /outcome="(\w+)".* (\d+)$/.exec(line)?.slice(1)).toSorted()).toEqual([
    ['allowed', '1'],
    ['allowed', '1'],
    ['denied', '1'],
  ])
})

test.each([
  ['at one address', ['127.0.0.1', '127.0.0.1', '127.0.0.1']],
  ['at the other', ['::1', '::1', '::1']],
  ['at both together', ['127.0.0.1', '::1', '::1']],
])('a connection too many %s is closed and counted, and the others go on', async (_where, addresses) => {
  await using made = await makeTestHome()
  const running = await startHub({ ...made.options, system: realSystem, host: '127.0.0.1', port: 0 })
  onTestFinished(() => running.stop())
  expect(running.app.server.maxConnections).toBe(8_192)
  running.app.server.maxConnections = 2
  const { port } = new URL(running.url)
  const sockets: Socket[] = []
  for (const address of addresses) {
    const socket = connect(Number(port), address).resume()
    sockets.push(socket)
    await once(socket, 'connect')
  }
  await once(sockets.at(-1) as Socket, 'close')
  sockets[0]?.destroy()
  await expect
    .poll(async () => (await send(running.url, { path: '/metrics' }).catch(() => ({ text: '' }))).text)
    .toMatch(/^knowtation_dropped_connections_total [1-9]/m)
  for (const socket of sockets) socket.destroy()
})
