import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSource } from '../../src/domains/control/connections/open-source.ts'
import { countIntents, insertIntent } from '../../src/domains/control/intents/intent-store.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import {
  countMade,
  eventsOf,
  everythingKept,
  LOOPBACK_SOURCES,
  meet,
  type People,
} from './intents.fixture.ts'
import { PASSWORD, visitorOf } from './owner-visitor.ts'

const INTENTS = '/v1/owner/connections/intents'
const ORDERS =
  'Order ID,Order Date,Product Name\n111-2222222-3333333,2026-01-05T10:00:00Z,A sentinel kettle\n'
const FEED = '<rss version="2.0"><channel><title>Feed</title><item><title>One</title></item></channel></rss>'
const WAITING = {
  connector_id: 'feed',
  display_name: null,
  state: 'open',
  step: 'open_url',
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'local:local',
  expires_at: '2999-01-01T00:00:00.000Z',
  scope_json: null,
  code: undefined,
} as const
const findSettings = sql<{ connection_id: string; settings_json: string }>(
  'SELECT connection_id, settings_json FROM connections WHERE connection_id = ?',
)

describe.each(DATABASES)('a connection that is begun, on %s', (database) => {
  const clock: Clock = {}
  let hub: TestHub
  let people: People
  beforeAll(async () => {
    hub = await startTestHub({ database, clock, config: LOOPBACK_SOURCES })
    people = await meet(hub)
  })
  afterAll(() => hub.close())

  verifies(['OWNR-053', 'OWNR-054'], 'answers the owner’s next step and makes no connection', async () => {
    const before = await countMade(hub)
    const connections = await people.asAgent('GET', '/v1/owner/connections')
    for (const connector_id of 'folder git feed calendar mail json_api amazon whatsapp'.split(' ')) {
      const { status, body } = await people.asAgent('POST', INTENTS, { connector_id, display_name: 'Mine' })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        object: 'owner_connection_intent',
        intent_id: expect.stringMatching(/^cint_[0-9a-f]{16}$/),
        connector_id,
        connector_key: connector_id,
        connection_active: false,
        connection_id: null,
        next_step: { kind: expect.any(String), reason: expect.stringMatching(/\S/) },
      })
    }
    expect(await countMade(hub)).toEqual(before)
    expect(await people.asAgent('GET', '/v1/owner/connections')).toEqual(connections)
  })

  verifies('OWNR-054', 'is refused when it is malformed, and nothing is kept of it', async () => {
    const { body: before } = await people.asAgent('GET', INTENTS)
    for (const bad of [
      {},
      { connector_id: 7 },
      { connector_id: '../amazon' },
      { connector_id: 'feed', display_name: 'x'.repeat(201) },
      { connector_id: 'feed', display_name: '' },
      { connector_id: 'feed', display_name: 'half \ud800 a pair' },
      { connector_id: 'feed', surplus: 1 },
      { connector_id: 'folder', collection_scope: { since: 'yesterday' } },
    ]) {
      const { status, body } = await people.asAgent('POST', INTENTS, bad)
      expect([status, body.error?.type, body.error?.code]).toEqual([
        400,
        'invalid_request_error',
        'invalid_request',
      ])
    }
    expect((await people.asAgent('GET', INTENTS)).body).toEqual(before)
  })

  verifies('OWNR-055', 'is kept with an id, which its event and its audit record name', async () => {
    const { intent_id } = await people.begin('json_api', { display_name: 'A sentinel name' })
    const shown = await people.asAgent('GET', `${INTENTS}/${intent_id}`)
    expect(shown.body).toMatchObject({ intent_id, state: 'open', connection_active: false })
    const [event] = (await eventsOf(hub)).filter(({ object_id }) => object_id === intent_id)
    expect(event).toMatchObject({
      event_type: 'owner_agent.connection.initiate',
      status: 'succeeded',
      actor_type: 'owner_agent',
      client_id: 'test-agent',
      data: { operation: 'initiate_connection', connector_key: 'json_api', next_step_kind: 'open_url' },
    })
    const records = await auditRecords(hub)
    expect(records.find(({ target_id }) => target_id === intent_id)).toMatchObject({
      operation: 'owner_connection_intent_create',
      caller_kind: 'owner_agent',
      outcome: 'allowed',
    })
    expect(JSON.stringify(event)).not.toContain('sentinel')
  })

  verifies('OWNR-056', 'where a provider decides, names a page that the owner can open', async () => {
    const { next_step, intent_id } = await people.begin('json_api')
    const { port } = new URL(hub.url)
    expect(next_step).toMatchObject({
      kind: 'open_url',
      url: `http://localhost:${port}/console/data/connect/${intent_id}`,
    })
    const page = await people.owner.get(`/console/data/connect/${intent_id}`)
    expect([page.status, page.text.includes('<div id="console">')]).toEqual([200, true])
    const { text } = await visitorOf(hub).get(`/console/data/connect/${intent_id}`)
    expect(text).toContain('<h1>Sign in</h1>')
    expect(text).toContain(`name="place" value="/console/data/connect/${intent_id}"`)
  })

  verifies(['OWNR-058', 'OWNR-059'], 'bound to a browser, says what only the owner can do', async () => {
    const { next_step, intent_id, connector_modality } = await people.begin('amazon')
    expect(connector_modality).toBe('browser_bound')
    expect(next_step.kind).toBe('complete_browser_assistance')
    expect(next_step.reason).toMatch(/Sign in at Amazon in your own browser/)
    expect(next_step.reason).toMatch(/no bearer can sign in or pass a second factor/)
    expect(Object.keys(next_step).toSorted()).toEqual(['dashboard_url', 'kind', 'reason', 'runbook_path'])
    // The agent has no way on: neither by the intent's own page nor by what the owner's page calls.
    const values = { file: ORDERS }
    const tries = [
      await people.asAgent('POST', `/_ref/intents/${intent_id}/complete`, { values }),
      await people.asAgent('POST', `${INTENTS}/${intent_id}/complete`, { values }),
      await people.asAgent('POST', '/_ref/collectors/enroll', { code: intent_id, folder: '/' }),
    ]
    expect(tries.map(({ status }) => status)).toEqual([401, 404, 401])
    const shown = await people.asAgent('GET', `${INTENTS}/${intent_id}`)
    expect(shown.body).toMatchObject({ state: 'open', connection_active: false })
  })

  verifies(
    ['OWNR-060', 'OWNR-061'],
    'unsupported, is answered as such, with a reason and a way on',
    async () => {
      const intent = await people.begin('whatsapp')
      expect(intent).toMatchObject({
        state: 'unsupported',
        support_state: 'unsupported',
        connection_active: false,
      })
      expect(intent.next_step).toMatchObject({
        kind: 'unsupported',
        reason: expect.stringMatching(/^WhatsApp lets no program read/),
        runbook_path: 'docs/connectors.md',
        dashboard_url: expect.stringMatching(/^http:\/\/localhost:\d+\/console\/data\/connect$/),
      })
      expect(intent.runbook_path).toBe('docs/connectors.md')
      const done = await people.asOwner('POST', `/_ref/intents/${intent.intent_id}/complete`, {})
      expect([done.status, done.body.error?.code]).toEqual([409, 'intent_ended'])
    },
  )

  test('the owner completes an upload; the file is sealed, and in no record', async () => {
    const before = await countMade(hub)
    const { intent_id } = await people.begin('amazon', { display_name: 'Orders' })
    const path = `/_ref/intents/${intent_id}/complete`
    const empty = await people.asOwner('POST', path, { values: {} })
    expect([empty.status, empty.body.error?.param]).toEqual([400, 'file'])
    const stray = await people.asOwner('POST', path, { values: { file: ORDERS, surplus: 'x' } })
    expect([stray.status, stray.body.error?.code]).toEqual([400, 'invalid_request'])
    const done = await people.asOwner('POST', path, { values: { file: ORDERS } })
    expect(done).toMatchObject({ status: 200, body: { state: 'completed', connection_active: true } })
    const { connection_id } = done.body as { connection_id: string }
    expect(await countMade(hub)).toMatchObject({
      connections: (before.connections ?? 0) + 1,
      connection_secrets: (before.connection_secrets ?? 0) + 1,
    })
    const row = (await hub.hub.db.get(findSettings, connection_id)) as never
    const signal = new AbortController().signal
    const source = openSource(hub.hub, row, { checkpoint: null, signal })
    expect(await source.secret('file')).toBe(ORDERS)
    expect(await everythingKept(hub)).not.toContain('sentinel kettle')
    const again = await people.asOwner('POST', path, { values: { file: ORDERS } })
    expect([again.status, again.body.error?.code]).toEqual([409, 'intent_ended'])
  })

  test('completions that meet at the source make one connection', async () => {
    const waiting: ServerResponse[] = []
    // Nobody is answered before all three have asked, so all three find the intent open.
    const feed = createServer((_request, response) => {
      if (waiting.push(response) < 3) return
      for (const one of waiting) one.writeHead(200, { 'content-type': 'application/rss+xml' }).end(FEED)
    })
    await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve))
    try {
      const { intent_id } = await people.begin('feed')
      const before = await countMade(hub)
      const values = { url: `http://127.0.0.1:${(feed.address() as AddressInfo).port}/feed.xml` }
      const complete = () => people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { values })
      const done = await Promise.all([complete(), complete(), complete()])
      expect(done.map(({ status, body }) => `${status} ${body.error?.code ?? ''}`).toSorted()).toEqual([
        '200 ',
        '409 intent_ended',
        '409 intent_ended',
      ])
      expect(await countMade(hub)).toEqual({
        ...before,
        connections: (before.connections ?? 0) + 1,
        connection_schedules: (before.connection_schedules ?? 0) + 1,
      })
    } finally {
      feed.closeAllConnections()
      await new Promise((resolve) => feed.close(resolve))
    }
  })

  test('a source that does not answer makes nothing, and the intent can be tried again', async () => {
    const before = await countMade(hub)
    const { intent_id } = await people.begin('feed')
    const path = `/_ref/intents/${intent_id}/complete`
    const down = await people.asOwner('POST', path, { values: { url: 'http://127.0.0.1:9/feed.xml' } })
    expect([down.status, down.body.error?.code]).toEqual([502, 'source_unreachable'])
    const closed = await people.asOwner('POST', path, { values: { url: 'http://10.0.0.1/feed.xml' } })
    expect([closed.status, closed.body.error?.code]).toEqual([409, 'source_refused'])
    const long = 'http://127.0.0.1:9/'.padEnd(2_001, 'x')
    for (const url of ['https://me:hunter2@feed.test/', 'https://me@feed.test/', long]) {
      const bad = await people.asOwner('POST', path, { values: { url } })
      expect([bad.status, bad.body.error?.param]).toEqual([400, 'url'])
    }
    expect(await countMade(hub)).toEqual(before)
    const { body } = await people.asAgent('GET', `${INTENTS}/${intent_id}`)
    expect(body).toMatchObject({
      state: 'open',
      fault: expect.stringMatching(/address that this hub may not reach/),
    })
    const failed = (await eventsOf(hub)).filter(({ object_id }) => object_id === intent_id).slice(1)
    expect(failed.map(({ status, data }) => [status, (data as { error: unknown }).error])).toEqual([
      ['failed', { code: 'source_unreachable', http_status: 502 }],
      ['failed', { code: 'source_refused', http_status: 409 }],
      ...[1, 2, 3].map(() => ['failed', { code: 'invalid_request', http_status: 400 }]),
    ])
    expect(await everythingKept(hub)).not.toContain('hunter2')
  })

  test('ends with its time, or with a word of the owner’s or the agent’s', async () => {
    const { intent_id } = await people.begin('amazon')
    const cancelled = await people.asAgent('POST', `${INTENTS}/${intent_id}/cancel`, {})
    expect(cancelled.body).toMatchObject({ state: 'cancelled', next_step: { kind: 'none' } })
    const twice = await people.asAgent('POST', `${INTENTS}/${intent_id}/cancel`, {})
    expect([twice.status, twice.body.error?.code]).toEqual([409, 'intent_ended'])
    const late = await people.begin('amazon')
    const end = Date.parse(late.expires_at)
    clock.now = new Date(end - 1)
    try {
      const open = await people.asAgent('GET', `${INTENTS}/${late.intent_id}`)
      expect(open.body).toMatchObject({ state: 'open', next_step: { kind: 'complete_browser_assistance' } })
      clock.now = new Date(end)
      const complete = { values: { file: ORDERS } }
      await people.owner.get('/owner/sign-in')
      await people.owner.post('/owner/sign-in', { password: PASSWORD })
      const done = await people.asOwner('POST', `/_ref/intents/${late.intent_id}/complete`, complete)
      expect([done.status, done.body.error?.type]).toEqual([410, 'gone_error'])
      const { body } = await people.asAgent('GET', `${INTENTS}/${late.intent_id}`)
      expect(body).toMatchObject({ state: 'expired', next_step: { kind: 'none' } })
    } finally {
      clock.now = undefined
    }
  })

  test('too many that wait are refused', async () => {
    const waiting = await countIntents(hub.hub.db, 'open', new Date())
    await hub.hub.db.transaction(async (tx) => {
      for (let made = waiting; made < 199; made++) {
        const intent_id = `cint_${made.toString(16).padStart(16, '0')}`
        await insertIntent(tx, { ...WAITING, intent_id })
      }
    })
    const last = await people.asAgent('POST', INTENTS, { connector_id: 'feed' })
    expect(last.status).toBe(201)
    const refused = await people.asAgent('POST', INTENTS, { connector_id: 'feed' })
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'too_many_intents'])
    const first = await people.asAgent('GET', `${INTENTS}?limit=100`)
    const rest = await people.asAgent('GET', `${INTENTS}?limit=100&cursor=${String(first.body.next_cursor)}`)
    const ids = [first, rest].flatMap(({ body }) =>
      (body.data as { intent_id: string }[]).map((one) => one.intent_id),
    )
    expect(new Set(ids).size).toBe(200)
  })
})
