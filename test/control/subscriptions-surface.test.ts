import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertConnection, newConnectionId } from '../../src/domains/control/connections/connection-store.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords, codeOf, send, startRestHub } from '../rest/rest-hub.fixture.ts'
import { type EventReceiver, startReceiver } from './event-receiver.ts'
import { makeAgent, setUpOwner, type Visitor } from './owner-visitor.ts'
import { subscriberOf } from './subscribers.ts'

const everyEvent = sql<{ event_type: string; status: string; event_json: string }>(
  'SELECT event_type, status, event_json FROM owner_events ORDER BY seq',
)

interface Action {
  family: string
  status: string
  method: string | null
  url: string | null
}

describe.each(DATABASES)('the surface of event subscriptions on %s', (database) => {
  let hub: TestHub
  let owner: Visitor
  let bearer: string
  let receiver: EventReceiver
  let agent: ReturnType<typeof subscriberOf>
  beforeAll(async () => {
    hub = await startRestHub({ database })
    owner = await setUpOwner(hub)
    bearer = (await makeAgent(hub, owner)).bearer
    agent = subscriberOf(hub, bearer)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await hub.close()
    await receiver[Symbol.asyncDispose]()
  })

  const read = async (path: string) => JSON.parse((await send(hub.url, { path, bearer })).text)
  const findFamily = async (): Promise<Action> =>
    (await read('/v1/owner/control')).actions.find(
      ({ family }: Action) => family === 'manage_event_subscriptions',
    )

  verifies('OWNR-074', 'the control document tells the family as supported', async () => {
    expect(await findFamily()).toMatchObject({ status: 'supported', method: 'GET' })
  })

  verifies('OWNR-075', 'it points at the routes, which take the bearer of an owner agent', async () => {
    const { url } = await findFamily()
    expect(url).toBe(`${hub.url}/v1/event-subscriptions`)
    const answer = await send(hub.url, { path: new URL(url as string).pathname, bearer })
    expect([answer.status, JSON.parse(answer.text).object]).toEqual([200, 'list'])
    expect((await send(hub.url, { path: '/v1/event-subscriptions' })).status).toBe(401)
    for (const [who, status] of [
      [hub.credentials.bearers.hub, 403],
      [hub.credentials.bearers.admin, 403],
      [hub.credentials.bearers.gateway, 403],
    ] as const)
      expect((await subscriberOf(hub, who).ask('GET')).status).toBe(status)
  })

  verifies('OWNR-076', 'it is on no row of a connection', async () => {
    const at = new Date().toISOString()
    const connection_id = newConnectionId(hub.hub.system)
    await hub.hub.db.transaction((tx) =>
      insertConnection(tx, {
        connection_id,
        connector_id: 'feed',
        display_name: null,
        status: 'active',
        source_kind: 'api_network',
        settings_json: '{}',
        created_at: at,
        updated_at: at,
        revoked_at: null,
        last_seq: 0,
      }),
    )
    const { data } = await read('/v1/owner/connections')
    const row = data.find((found: { connection_id: string }) => found.connection_id === connection_id)
    const families = row.supported_actions.map(({ family }: Action) => family)
    expect(families).toContain('rename_connection')
    expect(families).not.toContain('manage_event_subscriptions')
    expect(JSON.stringify(data)).not.toContain('event-subscriptions')
  })

  verifies('OWNR-077', 'no part of it is reached over /mcp with the bearer, nor is a tool', async () => {
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
    const ask = (who: string | undefined, method: string, params: object) =>
      send(hub.url, {
        method: 'POST',
        path: '/mcp',
        bearer: who,
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    const before = (await read('/v1/event-subscriptions')).data.length
    const names = ['list', 'create', 'show', 'update', 'delete', 'test', 'events']
    for (const name of names) {
      const params = { name: `event_subscription_${name}`, arguments: { callback_url: receiver.url } }
      expect((await ask(bearer, 'tools/call', params)).status).toBe(403)
      const { text } = await ask(hub.credentials.bearers.admin, 'tools/call', params)
      expect(text).toMatch(/"error":|"isError":true/)
    }
    expect((await ask(hub.credentials.bearers.admin, 'tools/list', {})).text).not.toContain(
      'event_subscription',
    )
    expect((await read('/v1/event-subscriptions')).data).toHaveLength(before)
  })

  verifies(
    'OWNR-078',
    'the secret is told at creation and rotation alone, and callbacks are https',
    async () => {
      const made = await agent.create(receiver.url)
      const id = made.subscription_id
      expect(id).toMatch(/^sub_[0-9a-f]{24}$/)
      expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const rotated = await agent.update(id, { rotate_secret: true })
      expect(rotated.secret).toMatch(/^whsec_/)
      expect(rotated.secret).not.toBe(made.secret)
      const elsewhere = [
        await agent.ask('GET'),
        await agent.ask('GET', `/${id}`),
        await agent.ask('PATCH', `/${id}`, { filters: {} }),
        await agent.ask('GET', `/${id}/events`),
        await send(hub.url, { path: '/api/v1/audit/records', bearer: hub.credentials.bearers.hub }),
        await agent.ask('DELETE', `/${id}`),
      ]
      for (const { text } of elsewhere) expect(text).not.toContain('whsec_')
      const kept = JSON.stringify([await auditRecords(hub), await hub.hub.db.all(everyEvent)])
      expect(kept).toContain(id)
      for (const told of [kept, hub.logged.join('')]) expect(told).not.toContain('whsec_')
      for (const callback_url of ['http://example.org', 'http://example.org:80/x', 'ftp://example.org/'])
        expect((await agent.ask('POST', '', { callback_url })).status).toBe(400)
      // On other machines the ports below 1024 are those of the web; on this one a receiver listens where it likes.
      for (const port of [25, 1_023])
        expect(
          (await agent.ask('POST', '', { callback_url: `https://example.org:${port}/hook` })).status,
        ).toBe(400)
      for (const callback_url of [
        'https://example.org/hook',
        'https://example.org:1024/hook',
        'http://localhost:9/',
        'http://127.0.0.1:9/',
        'http://[::1]:9000/',
      ]) {
        const { status, text } = await agent.ask('POST', '', { callback_url })
        expect([callback_url, status]).toEqual([callback_url, 201])
        await agent.ask('DELETE', `/${JSON.parse(text).subscription_id}`)
      }
    },
  )

  test('answers rows of the contract, and pages them', async () => {
    const made = [await agent.create(receiver.url), await agent.create(receiver.url)]
    expect(await agent.show(made[0]?.subscription_id as string)).toMatchObject({
      object: 'event_subscription',
      authority_kind: 'trusted_owner_agent',
      client_id: 'test-agent',
      grant_id: null,
      scope: 'owner',
      callback_url: receiver.url,
      disabled_reason: null,
    })
    const first = JSON.parse((await agent.ask('GET', '?limit=1')).text)
    const second = JSON.parse((await agent.ask('GET', `?limit=1&cursor=${first.next_cursor}`)).text)
    expect(first.data[0].subscription_id).not.toBe(second.data[0].subscription_id)
    expect(second.next_cursor).toBeNull()
    expect((await agent.ask('GET', '?cursor=nonsense')).status).toBe(400)
    for (const { subscription_id } of made) await agent.ask('DELETE', `/${subscription_id}`)
  })

  test('shows an agent its own subscriptions and the owner all', async () => {
    const other = subscriberOf(hub, (await makeAgent(hub, owner)).bearer)
    const { subscription_id } = await other.create(receiver.url)
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { status: 'disabled' }],
      ['DELETE', '', undefined],
      ['POST', '/test-event', {}],
      ['GET', '/events', undefined],
    ] as const) {
      const answer = await agent.ask(method, `/${subscription_id}${path}`, body)
      expect([method, path, answer.status, codeOf(answer)]).toEqual([
        method,
        path,
        404,
        'subscription_not_found',
      ])
    }
    expect((await agent.ask('GET')).text).not.toContain(subscription_id)
    const { text } = await owner.get('/v1/event-subscriptions')
    expect(text).toContain(subscription_id)
    const deleted = await other.ask('DELETE', `/${subscription_id}`)
    expect(JSON.parse(deleted.text)).toMatchObject({ status: 'deleted' })
    expect((await other.ask('DELETE', `/${subscription_id}`)).status).toBe(404)
  })

  test('leaves one event of each change in the owner’s record, and of each that was refused', async () => {
    const before = (await hub.hub.db.all(everyEvent)).length
    const secretive = `${receiver.url}?token=sentinel-value`
    const { subscription_id: id } = await agent.create(secretive)
    await agent.update(id, { rotate_secret: true })
    await agent.ask('PATCH', `/${id}`, { callback_url: 'http://sentinel-value.example.org/' })
    await agent.ask('DELETE', `/${id}`)
    await agent.ask('DELETE', `/${id}`)
    const events = (await hub.hub.db.all(everyEvent)).slice(before)
    expect(events.map(({ event_type, status }) => `${event_type} ${status}`)).toEqual([
      'owner_agent.event_subscription.create succeeded',
      'owner_agent.event_subscription.update succeeded',
      'owner_agent.event_subscription.update failed',
      'owner_agent.event_subscription.delete succeeded',
      'owner_agent.event_subscription.delete failed',
    ])
    for (const { event_json } of events) {
      expect(JSON.parse(event_json)).toMatchObject({ actor_type: 'owner_agent', object_id: id })
      expect(event_json).not.toMatch(/sentinel|whsec/)
    }
  })

  test('refuses what is not a change, an unknown filter and a foreign cursor', async () => {
    const { subscription_id: id } = await agent.create(receiver.url)
    for (const [path, body] of [
      ['', {}],
      ['', { status: 'deleted' }],
      ['', { rotate_secret: false }],
      ['', { callback_url: 'http://10.0.0.1/' }],
    ] as const)
      expect((await agent.ask('PATCH', `/${id}${path}`, body)).status).toBe(400)
    for (const filters of [{ streams: [] }, { types: ['other'] }, { more: 1 }])
      expect((await agent.ask('POST', '', { callback_url: receiver.url, filters })).status).toBe(400)
    for (const cursor of ['evc_99', 'x', 'evc_-1'])
      expect((await agent.ask('GET', `/${id}/events?cursor=${cursor}`)).status).toBe(400)
    await agent.ask('DELETE', `/${id}`)
  })
})
