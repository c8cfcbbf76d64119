import { afterEach, expect, test } from 'vitest'
import { rateLimits } from '../../src/platform/identity/rate-limits.ts'
import { type Clock, startTestHub, type TestHub, type TestHubOptions } from '../harness/test-hub.ts'
import { auditRecords, codeOf, recorded, send, startFault } from './rest-hub.fixture.ts'

const PATH = '/api/v1/whoami'
let hub: TestHub
afterEach(() => hub?.close())

async function start(options: TestHubOptions = {}): Promise<TestHub> {
  return (hub = await startTestHub(options))
}

const fail = (bearer?: string) => send(hub.url, { path: PATH, bearer })
const succeed = () => send(hub.url, { path: PATH, bearer: hub.credentials.bearers.viewer })

const mcp = () => send(hub.url, { method: 'POST', path: '/mcp', body: '{}' })

async function statuses(times: number, act: () => Promise<{ status: number }>): Promise<number[]> {
  const all = []
  for (let at = 0; at < times; at++) all.push((await act()).status)
  return all
}

test('failed sign-ins of an address are slowed; a good credential from there still works', async () => {
  const clock: Clock = { now: new Date('2026-01-01T00:00:00Z') }
  await start({ config: { rate_limits: { failed_authentications_per_minute: 3 } }, clock })
  expect(await statuses(3, () => fail('guess'))).toEqual([401, 401, 401])
  const limited = await fail('another guess')
  expect([limited.status, codeOf(limited)]).toEqual([429, 'RATE_LIMITED'])
  expect(limited.headers['retry-after']).toBe('60')
  expect((await succeed()).status).toBe(200)
  expect((await fail()).status).toBe(429)
  clock.now = new Date('2026-01-01T00:00:59.999Z')
  expect((await fail()).headers['retry-after']).toBe('1')
  clock.now = new Date('2026-01-01T00:01:00Z')
  expect((await fail()).status).toBe(401)
})

test('who changes the loopback address with each guess is slowed all the same', async () => {
  await start({ config: { rate_limits: { failed_authentications_per_minute: 3 } } })
  const guessed = []
  for (let last = 1; last <= 5; last++) {
    guessed.push((await send(hub.url, { path: PATH, bearer: 'guess', from: `127.0.9.${last}` })).status)
  }
  expect(guessed).toEqual([401, 401, 401, 429, 429])
})

test.each([
  ['::1', '127.0.0.1', true],
  ['::ffff:127.0.0.3', '127.9.9.9', true],
  ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8::1', '2001:db8:0:0:1::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.2', false],
])('tries from %s and %s count together: %s', (one, other, together) => {
  const config = { failed_authentications_per_minute: 1, calls_per_minute: undefined }
  const limits = rateLimits(config, () => new Date(0))
  expect(limits.failedAuthentication(one)).toBe(0)
  expect(limits.failedAuthentication(other) > 0).toBe(together)
})

test('the same count holds for every way to fail and for MCP', async () => {
  await start({ config: { rate_limits: { failed_authentications_per_minute: 4 } } })
  const ways = [fail, () => fail('ktok_x'), () => fail('a.b.c'), mcp]
  for (const way of ways) expect((await way()).status).toBe(401)
  for (const way of ways) {
    const answer = await way()
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
  }
})

test('thirty failures a minute are the default', async () => {
  await start()
  const answers = await statuses(31, () => fail())
  expect(answers.slice(0, 30).every((status) => status === 401)).toBe(true)
  expect(answers[30]).toBe(429)
})

test('a limited sign-in is recorded too, and a flood of them is counted', async () => {
  await start({ config: { rate_limits: { failed_authentications_per_minute: 5 } } })
  await statuses(60, () => fail())
  const records = (await auditRecords(hub)).filter(({ outcome }) => outcome === 'denied')
  const told = (code: string) =>
    records.filter((record) => record.code === code).reduce((sum, { repeats }) => sum + repeats, 0)
  expect([told('UNAUTHENTICATED'), told('RATE_LIMITED')]).toEqual([5, 55])
  // The budget of strangers, and the record of those beyond it.
  expect(records.length).toBeLessThanOrEqual(21)
})

test('who is signed in is not limited unless the owner says so', async () => {
  await start({ config: { rate_limits: { failed_authentications_per_minute: 1 } } })
  expect(new Set(await statuses(200, succeed))).toEqual(new Set([200]))
})

test('the owner may limit calls, for each credential by itself', async () => {
  const clock: Clock = { now: new Date('2026-01-01T00:00:00Z') }
  await start({ config: { rate_limits: { calls_per_minute: 3 } }, clock })
  expect(await statuses(3, succeed)).toEqual([200, 200, 200])
  const { result, records } = await recorded(hub, succeed)
  expect([result.status, codeOf(result), result.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '60'])
  expect(records).toMatchObject([{ operation: 'whoami', code: 'RATE_LIMITED', outcome: 'denied' }])
  const other = await send(hub.url, { path: PATH, bearer: hub.credentials.bearers.editor })
  expect(other.status).toBe(200)
  clock.now = new Date('2026-01-01T00:01:00Z')
  expect((await succeed()).status).toBe(200)
})

test.each([
  ['no YAML', 'rate_limits: ['],
  ['an unknown setting', 'rate_limit: {}'],
  ['a limit of nothing', { rate_limits: { calls_per_minute: 0 } }],
  ['a limit that is no number', { rate_limits: { calls_per_minute: 'many' } }],
  ['a repeated setting', 'audit: {max_age_days: 1}\naudit: {max_age_days: 2}'],
  ['a list', '- a'],
  ['a host name with a port', { hosted_hostnames: ['hub.example.test:443'] }],
])('a malformed configuration (%s) stops the start and names the file', async (_what, config) => {
  expect(await startFault({ config })).toMatch(/^The configuration is damaged\. .*\/config\.yaml: /)
})
