import { afterEach, describe, expect, test } from 'vitest'
import { connectionTokens } from '../../src/domains/control/authorization/connection-tokens.ts'
import type { Hub } from '../../src/operations/hub.ts'
import { ToolProvider } from '../../src/platform/upstream/provider-policy.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { type GuardedOptions, startGuardedServer } from './guarded-server.fixture.ts'
import { authorise, connected, openStages, type Stage } from './guarded-stage.fixture.ts'
import { eventsOf, everythingKept, LOOPBACK_SOURCES } from './intents.fixture.ts'
import { giveAccess } from './oauth-provider.fixture.ts'

const { ends, endAll, openStage } = openStages()
afterEach(endAll)

const providerOf = ({ url }: { url: string }, connection: string) =>
  ToolProvider.parse({ kind: 'mcp', url, tool: 'echo', credentials: { connection }, timeout_seconds: 60 })

const callsOf = (hub: Pick<Hub, 'upstreams'>, provider: ToolProvider, count: number) =>
  Promise.all(Array.from({ length: count }, () => hub.upstreams.call(provider, {})))

/** Until the token that a call would show now has to be renewed. */
async function outlive({ hub }: Stage, connection_id: string): Promise<string> {
  const token = await connectionTokens(hub.hub).current(connection_id)
  await new Promise((done) => setTimeout(done, 5_100))
  return token
}

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code}`

describe.each(DATABASES)('an MCP server behind OAuth, on %s', (database) => {
  test('is found, registered at and authorised by its address alone, and its tool is called', async () => {
    const stage = await openStage(database)
    const connection = await connected(stage)
    const answer = await stage.hub.hub.upstreams.call(providerOf(stage.server, connection), {})
    expect(answer).toMatchObject({ result: { content: [{ text: 'done' }] } })
    expect(stage.server.grants).toEqual(['authorization_code'])
  }, 60_000)

  test('100 parallel calls with a five-second token that is over make one refresh and lose none', async () => {
    const stage = await openStage(database, { access_seconds: 5 })
    const { hub, server } = stage
    const connection = await connected(stage)
    const provider = providerOf(server, connection)
    await outlive(stage, connection)
    const begun = performance.now()
    const answers = await callsOf(hub.hub, provider, 100)
    // On a machine that takes longer than the next token lives, that one is over meanwhile as well.
    const allowed = 1 + Math.floor((performance.now() - begun) / 3_900)
    expect(answers).toHaveLength(100)
    for (const answer of answers)
      expect(answer).toMatchObject({ result: { content: [{ type: 'text', text: 'done' }] } })
    const refreshes = server.grants.slice(1)
    expect(new Set(refreshes)).toEqual(new Set(['refresh_token']))
    expect(refreshes.length).toBeGreaterThanOrEqual(1)
    expect(refreshes.length).toBeLessThanOrEqual(allowed)
    // A new token is no new session at the server.
    expect(server.sessions.begun).toBe(1)
  }, 120_000)

  test('an authorisation that is over is one thing that needs the owner, who gives it anew to the same connection', async () => {
    const stage = await openStage(database, { access_seconds: 5 })
    const { hub, server, people } = stage
    const connection = await connected(stage)
    const provider = providerOf(server, connection)
    server.forget_all = true
    await outlive(stage, connection)
    const failed = await Promise.allSettled(
      Array.from({ length: 20 }, () => hub.hub.upstreams.call(provider, {})),
    )
    for (const one of failed)
      expect(one).toMatchObject({ status: 'rejected', reason: { reason: 'credential_missing', sent: false } })
    await expect(hub.hub.upstreams.call(provider, {})).rejects.toMatchObject({ reason: 'credential_missing' })
    expect(server.grants).toEqual(['authorization_code', '!refresh_token'])
    const events = (await eventsOf(hub)).filter(({ event_type }) => event_type === 'connection.needs_owner')
    expect(events).toEqual([expect.objectContaining({ object_id: connection })])
    const path = `/v1/owner/connections/${connection}/diagnostics`
    expect((await people.asAgent('GET', path)).body).toMatchObject({
      health: 'needs_attention',
      recovery: { owner_required: true },
    })
    server.forget_all = false
    const again = await authorise(stage, { begin: { connection_id: connection } })
    expect(again.body).toMatchObject({ state: 'completed', connection_id: connection })
    expect(await callsOf(hub.hub, provider, 1)).toHaveLength(1)
    expect((await people.asAgent('GET', path)).body).toMatchObject({ health: 'idle' })
  }, 120_000)
})

test('two hubs on PostgreSQL make one refresh for all their calls', async () => {
  const stage = await openStage('postgres', { access_seconds: 5 })
  const { hub, server } = stage
  const other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
  ends.push(() => other.stop())
  const provider = providerOf(server, await connected(stage))
  await new Promise((done) => setTimeout(done, 5_100))
  const begun = performance.now()
  const answers = await Promise.all([callsOf(hub.hub, provider, 50), callsOf(other.hub, provider, 50)])
  const allowed = 1 + Math.floor((performance.now() - begun) / 3_900)
  expect(answers.flat()).toHaveLength(100)
  expect(server.grants.filter((grant) => grant === '!refresh_token')).toEqual([])
  expect(server.grants.length - 1).toBeLessThanOrEqual(allowed)
}, 120_000)

test('a token that the server takes no more is renewed, and the call made once more', async () => {
  const stage = await openStage()
  const connection = await connected(stage)
  const tokens = connectionTokens(stage.hub.hub)
  const first = await tokens.current(connection)
  tokens.refuse(connection, first)
  const [one, other] = await Promise.all([tokens.current(connection), tokens.current(connection)])
  expect(one).toBe(other)
  expect(one).not.toBe(first)
  // Refused again at once it is not asked for again: a server that takes no token would have us ask without end.
  tokens.refuse(connection, one)
  expect(await tokens.current(connection)).toBe(one)
  expect(stage.server.grants).toEqual(['authorization_code', 'refresh_token'])
}, 60_000)

test('no token reaches an agent, a log or the store in the clear', async () => {
  const stage = await openStage()
  const { hub, server } = stage
  const connection = await connected(stage)
  const provider = providerOf(server, connection)
  const answer = await hub.hub.upstreams.call(provider, { token: true })
  const [token] = [...server.seen]
  expect(token).toMatch(/.{20}/)
  expect(JSON.stringify(answer)).toContain('called with [REDACTED]')
  for (const place of [JSON.stringify(answer), await everythingKept(hub)]) expect(place).not.toContain(token)
}, 60_000)

test('a token goes nowhere but where it was authorised for', async () => {
  const stage = await openStage()
  const { hub, server } = stage
  const connection = await connected(stage)
  await using thief = await startGuardedServer()
  const elsewhere = [thief.url, `${new URL(server.url).origin}/other`, `${server.url}x`]
  for (const url of elsewhere)
    await expect(hub.hub.upstreams.call(providerOf({ url }, connection), {})).rejects.toMatchObject({
      reason: 'credential_missing',
    })
  await expect(hub.hub.upstreams.call(providerOf(server, `${connection}0`), {})).rejects.toMatchObject({
    reason: 'credential_missing',
  })
  expect((await stage.people.asAgent('POST', `/v1/owner/connections/${connection}/revoke`, {})).status).toBe(
    200,
  )
  await expect(hub.hub.upstreams.call(providerOf(server, connection), {})).rejects.toMatchObject({
    reason: 'credential_missing',
  })
}, 60_000)

const refusedWith = async (options: GuardedOptions, values: object = {}) =>
  codeOf(await authorise(await openStage('sqlite', options), { values }))

describe('what a server says of its guard', () => {
  test('counts without a pointer, too, by the well-known places', async () => {
    const stage = await openStage('sqlite', { pointer: 'none' })
    await connected(stage)
  }, 60_000)

  test('asks for the scope of its refusal before that of its metadata', async () => {
    const stage = await openStage('sqlite', { scope: 'openid' })
    const { intent_id } = await stage.people.begin('tool_provider')
    const values = { url: stage.server.url }
    const path = `/_ref/intents/${intent_id}/authorize`
    const { body } = await stage.people.asOwner('POST', path, { values })
    const asked = new URL(String(body.authorization_url)).searchParams
    expect(asked.get('scope')).toBe('openid offline_access')
    expect(asked.get('resource')).toBe(stage.server.url)
    expect(asked.get('code_challenge_method')).toBe('S256')
  }, 60_000)

  test.each([
    ['that of another server', { metadata: () => ({ resource: 'http://127.0.0.1:9/mcp' }) }],
    [
      'that of a longer path',
      { metadata: ({ resource }: { resource: string }) => ({ resource: `${resource}/more` }) },
    ],
    ['a pointer to an address without TLS', { pointer: 'http://metadata.example/x' }],
    ['a pointer to a private address', { pointer: 'https://10.0.0.7/x' }],
    ['a pointer to the address of a cloud', { pointer: 'https://169.254.169.254/latest' }],
    ['a guard at a private address', { metadata: () => ({ authorization_servers: ['https://10.1.2.3'] }) }],
    ['a guard without TLS', { metadata: () => ({ authorization_servers: ['http://guard.example'] }) }],
  ])(
    'is refused where it is %s',
    async (_name, options) => {
      expect(await refusedWith(options as GuardedOptions)).toBe('409 source_refused')
    },
    60_000,
  )

  test('is not believed over the issuer that the owner named', async () => {
    await using other = await startGuardedServer()
    expect(await refusedWith({}, { issuer: other.issuer })).toBe('409 source_refused')
  }, 60_000)

  test('lies at private addresses only where the owner allows sources there', async () => {
    const { LOOPBACK_SOURCES: _, ...none } = { LOOPBACK_SOURCES }
    const stage = await openStage('sqlite', {}, none)
    expect(codeOf(await authorise(stage))).toBe('409 source_refused')
  }, 60_000)
})

test('an answer of another issuer is refused, and nothing is connected', async () => {
  const stage = await openStage()
  const { intent_id } = await stage.people.begin('tool_provider')
  const values = { url: stage.server.url }
  const asked = await stage.people.asOwner('POST', `/_ref/intents/${intent_id}/authorize`, { values })
  const callback = await giveAccess(String(asked.body.authorization_url))
  expect(callback.searchParams.get('iss')).toBe(stage.server.issuer)
  callback.searchParams.set('iss', 'https://another.example')
  const path = `/_ref/intents/${intent_id}/complete`
  const done = await stage.people.asOwner('POST', path, { callback_url: callback.href })
  expect(codeOf(done)).toBe('502 source_bad_answer')
  expect(stage.server.grants).toEqual([])
  expect((await stage.people.asAgent('GET', '/v1/owner/connections')).body.data).toEqual([])
}, 60_000)

test('only an active connection of the same connector is authorised anew', async () => {
  const stage = await openStage()
  const connection_id = await connected(stage)
  const begin = (input: object) =>
    stage.people.asAgent('POST', '/v1/owner/connections/intents', input).then(codeOf)
  expect(await begin({ connector_id: 'feed', connection_id })).toBe('404 connector_instance_not_found')
  expect(await begin({ connector_id: 'tool_provider', connection_id: 'conn_00' })).toBe(
    '404 connector_instance_not_found',
  )
}, 60_000)
