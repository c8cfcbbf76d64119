import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { addConnection, type OwnedHub, startOwnedHub } from './connection-samples.ts'

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())

const sentinel = (at: number) => `sentinel-${at}-5d0c8f61`

verifies('OWNR-080', 'no secret that was sent anywhere stands in any record', async () => {
  const id = await addConnection(hub, { connector_id: 'git' })
  const paths = [
    ['PATCH', `/v1/owner/connections/${id}`, { display_name: sentinel(1) }],
    ['PATCH', `/v1/owner/connections/${id}`, { display_name: sentinel(2), password: sentinel(3) }],
    ['PATCH', `/v1/owner/connections/${sentinel(4)}`, { display_name: 'x' }],
    ['DELETE', `/v1/owner/connectors/${sentinel(5)}`, undefined],
    ['DELETE', `/v1/owner/connections/${hub.bearer}`, undefined],
    ['DELETE', `/v1/owner/connections/lde_${'0123456789abcdef'}`, undefined],
    ['POST', '/v1/owner/connections/intents', { connector_id: sentinel(6), display_name: sentinel(7) }],
    ['POST', '/v1/event-subscriptions', { callback_url: `http://${sentinel(8)}/`, secret: sentinel(9) }],
  ] as const
  for (const [method, path, body] of paths) {
    await hub.ask(method, path, body)
    const headers = { cookie: sentinel(10), 'x-secret': sentinel(11) }
    await send(hub.url, {
      method,
      path,
      bearer: hub.credentials.bearers.viewer,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
  }
  const told = await sendSecretsThatAreTaken()
  await hub.hub.refusals.flushAll()
  const kept = JSON.stringify([
    await hub.hub.db.all(sql<object>('SELECT * FROM owner_events')),
    await hub.hub.db.all(sql<object>('SELECT * FROM audit_records')),
    hub.logged,
  ])
  expect(kept).not.toContain('5d0c8f61')
  expect(kept).not.toContain('lde_0123')
  const { bearer, credentials, owner } = hub
  for (const secret of [bearer, credentials.bearers.viewer as string, ...owner.cookies.values(), ...told])
    expect(kept).not.toContain(secret)
})

/** A file, a password and a callback that are accepted, or at least tried; answers the secrets told in return. */
async function sendSecretsThatAreTaken(): Promise<string[]> {
  const complete = async (connector_id: string, values: object) => {
    const { body } = await hub.ask('POST', '/v1/owner/connections/intents', { connector_id })
    return hub.askAsOwner('POST', `/_ref/intents/${body.intent_id}/complete`, { values })
  }
  const file = `Order ID,Order Date,Product Name\n111-2222222-3333333,2026-01-05T10:00:00Z,${sentinel(12)}\n`
  expect((await complete('amazon', { file })).body).toMatchObject({ state: 'completed' })
  const login = { host: 'localhost', user: 'me', password: sentinel(13) }
  expect((await complete('mail', login)).body.error.code).toMatch(/^source_|^invalid_/)
  const callback_url = `http://localhost:65535/${sentinel(14)}`
  const made = (await hub.ask('POST', '/v1/event-subscriptions', { callback_url })).body
  const path = `/v1/event-subscriptions/${made.subscription_id}`
  const turned = (await hub.ask('PATCH', path, { rotate_secret: true })).body
  const told = [made.secret, turned.secret]
  expect(told).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)])
  expect((await hub.ask('DELETE', path)).status).toBe(200)
  return told
}

test('a flood of equal refusals is told ten times, and counted in the audit log', async () => {
  await using own = await startOwnedHub()
  const bearer = own.credentials.bearers.viewer
  for (let at = 0; at < 25; at++)
    await send(own.url, { method: 'DELETE', path: '/v1/owner/connections/none', bearer })
  const told = await own.events()
  expect(told.length).toBeGreaterThanOrEqual(10)
  expect(told.length).toBeLessThan(25)
  await own.hub.refusals.flushAll()
  const counted = await own.hub.db.get(
    sql<{ calls: number }>(
      `SELECT SUM(repeats) AS calls FROM audit_records WHERE operation = 'owner_connection_delete'`,
    ),
  )
  expect(Number(counted?.calls)).toBe(25)
})

describe('events are the owner’s to read', () => {
  test('in person: no bearer of an agent or a member opens them', async () => {
    for (const path of ['/_ref/events', '/_ref/events/verify']) {
      const seen = [hub.bearer, hub.credentials.bearers.admin, undefined].map(async (bearer) => {
        const { status, text } = await send(hub.url, { path, bearer })
        return [status, JSON.parse(text).error.code]
      })
      for (const one of seen) expect(await one).toEqual([401, 'authentication_error'])
      expect((await hub.askAsOwner('GET', path)).status).toBe(200)
    }
  })

  test('by connection, page by page, newest first', async () => {
    const id = await addConnection(hub)
    for (const name of ['a', 'b', 'c'])
      await hub.ask('PATCH', `/v1/owner/connections/${id}`, { display_name: name })
    await hub.ask('PATCH', `/v1/owner/connections/${await addConnection(hub)}`, { display_name: 'other' })
    const whole = (await hub.askAsOwner('GET', `/_ref/events?connection_id=${id}`)).body
    expect(whole.data.map(({ object_id }: { object_id: string }) => object_id)).toEqual([id, id, id])
    const first = (await hub.askAsOwner('GET', `/_ref/events?connection_id=${id}&limit=2`)).body
    const rest = await hub.askAsOwner(
      'GET',
      `/_ref/events?connection_id=${id}&limit=2&cursor=${first.next_cursor}`,
    )
    expect([...first.data, ...rest.body.data]).toEqual(whole.data)
    expect(rest.body.next_cursor).toBe(null)
  })
})

describe.each(DATABASES)('on %s the spine', (database) => {
  test('shows what was changed, removed or added behind its back', async () => {
    await using own = await startOwnedHub({ database })
    const id = await addConnection(own)
    for (const name of ['a', 'b', 'c', 'd'])
      await own.ask('PATCH', `/v1/owner/connections/${id}`, { display_name: name })
    const check = async () => (await own.askAsOwner('GET', '/_ref/events/verify')).body
    const typed = () => runInProcess(['owner', 'event', 'verify'], own.options.env)
    expect(await check()).toEqual({ object: 'owner_event_check', sound: true, checked: 4, faults: [] })
    expect(await typed()).toMatchObject({ exit: 0, stdout: expect.stringContaining('intact: 4') })
    const [first, second, third] = (
      await own.hub.db.all(
        sql<{ seq: number; event_json: string }>('SELECT * FROM owner_events ORDER BY seq'),
      )
    ).map(({ seq }) => seq) as [number, number, number]
    const change = (text: string) => own.hub.db.transaction((tx) => tx.run(sql(text)))
    await change(
      `UPDATE owner_events SET event_json = REPLACE(event_json, 'test-agent', 'other') WHERE seq = ${first}`,
    )
    await change(`DELETE FROM owner_events WHERE seq = ${second}`)
    await change(`UPDATE owner_events SET status = 'failed' WHERE seq = ${third}`)
    await change(
      `INSERT INTO owner_events SELECT 900000000, 'oev_x', at, event_type, status, object_id, event_json FROM owner_events WHERE seq = ${third}`,
    )
    expect(await check()).toMatchObject({
      sound: false,
      faults: [
        { seq: first, fault: 'changed' },
        { seq: second, fault: 'missing' },
        { seq: third, fault: 'changed' },
        { seq: 900_000_000, fault: 'added' },
      ],
    })
    expect(await typed()).toMatchObject({ exit: 1, stdout: expect.stringMatching(/900000000 +oev_x +added/) })
  })
})

verifies(
  ['OWNR-017', 'OWNR-079'],
  'the audit log shows the owner what an event tells, and nobody else',
  async () => {
    await using own = await startOwnedHub()
    const id = await addConnection(own)
    expect((await own.ask('DELETE', `/v1/owner/connections/${id}`)).status).toBe(200)
    const [event] = await own.events()
    expect(event.data).toMatchObject({ actor_kind: 'owner_agent', connection_id: id, operation: 'delete' })
    const { hub: token, admin } = own.credentials.bearers
    expect(await sealedData(own)).toEqual([event.data])
    expect(await sealedData(own, token)).toEqual([undefined])
    expect(await sealedData(own, admin)).toEqual([undefined])
  },
)

test('an event that nobody can read any more hides no record of the audit log', async () => {
  await using own = await startOwnedHub()
  const id = await addConnection(own)
  await own.ask('DELETE', `/v1/owner/connections/${id}`)
  const change = sql('UPDATE owner_events SET event_json = ?')
  for (const event_json of ['x', 'null', '{}', '{"data":5}', '{"data":[1]}']) {
    await own.hub.db.transaction((tx) => tx.run(change, event_json))
    expect(await sealedData(own)).toEqual([undefined])
  }
})

/** What the audit log says of deletes, as somebody is shown it. */
async function sealedData(own: OwnedHub, bearer?: string): Promise<unknown[]> {
  const path = '/api/v1/audit?operation=owner_agent.connection.delete'
  const { text } = await (bearer ? send(own.url, { path, bearer }) : sendAsOwner(own, { path }))
  return (JSON.parse(text) as { records: { data?: object }[] }).records.map(({ data }) => data)
}

/** What was done and looked at, newest first. */
const readsOf = async (query = '') => {
  const { body } = await hub.askAsOwner('GET', `/_ref/events?reads=true&limit=200${query}`)
  return body.data as { event_type: string; actor_id: string; data: Record<string, unknown> }[]
}

describe('what was only looked at', () => {
  test('is listed between the events for whoever asks for it: who, what, on what and how it ended', async () => {
    const id = await addConnection(hub)
    await hub.ask('GET', `/v1/owner/connections/${id}/streams`)
    await hub.ask('GET', `/v1/owner/connections/${id}/streams/notes/records`)
    await hub.ask('PATCH', `/v1/owner/connections/${id}`, { display_name: 'x' })
    await hub.askAsOwner('GET', `/v1/owner/connections/${id}`)
    await hub.askAsOwner('GET', '/v1/owner/connections')
    await hub.ask('GET', '/_ref/events')
    const told = (await readsOf()).slice(0, 6)
    expect(told.map(({ actor_id, data }) => [actor_id, data.operation, data.outcome])).toEqual([
      [expect.stringMatching(/^oagt_/), 'owner_event_list', 'failed'],
      ['owner', 'owner_connection_list', 'succeeded'],
      ['owner', 'owner_connection_show', 'succeeded'],
      ['test-agent', 'rename_connection', 'succeeded'],
      [expect.stringMatching(/^oagt_/), 'owner_record_list', 'succeeded'],
      [expect.stringMatching(/^oagt_/), 'owner_stream_list', 'succeeded'],
    ])
    expect(told[4]).toMatchObject({ event_type: 'owner_agent.read', data: { connection_id: id } })
    const of = (await readsOf(`&connection_id=${id}`)).map(({ data }) => data.operation)
    expect(of).toEqual([
      'owner_connection_show',
      'rename_connection',
      'owner_record_list',
      'owner_stream_list',
    ])
    expect((await hub.events()).map(({ event_type }) => event_type)).not.toContain('owner_agent.read')
  })

  test('goes on page by page, each once, and names no secret that stands where an id belongs', async () => {
    const secret = sentinel(12)
    await hub.ask('GET', `/v1/owner/connections/${secret}`)
    await send(hub.url, { path: '/v1/owner/connections' })
    const whole = await readsOf()
    const paged: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await hub.askAsOwner('GET', `/_ref/events?reads=true&limit=3${cursor}`)
      paged.push(...body.data)
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    const known = (events: unknown[]) => events.slice(-whole.length)
    expect(known(paged)).toEqual(whole)
    expect(JSON.stringify(whole)).not.toContain(secret)
    expect(JSON.stringify(whole)).not.toContain('anonymous')
  })
})

test('what is tried with the hub token is told as a program’s, not as the owner’s', async () => {
  const id = await addConnection(hub)
  const bearer = hub.credentials.bearers.hub
  const path = `/v1/owner/connections/${id}/revoke`
  expect((await send(hub.url, { method: 'POST', path, bearer, body: '{}' })).status).toBe(403)
  const [event] = await hub.events()
  expect(event).toMatchObject({ actor_type: 'client', actor_id: 'hub', subject_id: 'hub', status: 'failed' })
  expect(event.data).toMatchObject({ actor_kind: 'client', auth_token_kind: 'hub', operation: 'revoke' })
})
