import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { recorded, send } from '../rest/rest-hub.fixture.ts'
import { requestOf, requireExpectation, routed } from '../rest/routes.fixture.ts'
import { addConnection, type OwnedHub, startOwnedHub } from './connection-samples.ts'

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())

const MUTATIONS = routed.filter(
  ({ authority, effect }) =>
    authority.kind === 'owner_surface' && !authority.session_only && effect !== 'read',
)

/** The events that an act left, oldest first, and what it answered. */
async function traced<Result>(act: () => Promise<Result>, on = hub) {
  const [last] = await on.events()
  const result = await act()
  const events = await on.events()
  const known = events.findIndex(({ event_id }) => event_id === last?.event_id)
  return { result, events: (known < 0 ? events : events.slice(0, known)).toReversed() }
}

/** An answer and an event that belong together. */
const FACTS = { actor_kind: 'owner_agent', client_id: 'test-agent' }

describe('what an agent does', () => {
  verifies(
    'OWNR-081',
    'a rename is recorded as done by an owner-agent client, without the name',
    async () => {
      const id = await addConnection(hub)
      const { result, events } = await traced(() =>
        hub.ask('PATCH', `/v1/owner/connections/${id}`, { display_name: 'sentinel-display-name' }),
      )
      expect(events).toEqual([
        {
          object: 'owner_event',
          event_id: expect.stringMatching(/^oev_[0-9a-f]{24}$/),
          occurred_at: expect.stringMatching(/^\d{4}-/),
          event_type: 'owner_agent.connection.rename',
          actor_type: 'owner_agent',
          actor_id: 'test-agent',
          client_id: 'test-agent',
          subject_type: 'subject',
          subject_id: 'owner',
          object_type: 'connection',
          object_id: id,
          status: 'succeeded',
          request_id: result.headers['request-id'],
          trace_id: result.headers['pdpp-reference-trace-id'],
          scenario_id: null,
          data: {
            ...FACTS,
            auth_token_kind: 'owner',
            client_name: 'Test Agent',
            connection_id: id,
            connector_key: 'amazon',
            operation: 'rename_connection',
            outcome: 'succeeded',
            target_resource: `connection/${id}`,
            selector: 'connection_id',
            display_name_supplied: true,
            label_status: 'owner_set',
          },
        },
      ])
      expect(JSON.stringify(events)).not.toContain('sentinel-display-name')
    },
  )

  verifies(
    'OWNR-079',
    'each mutation leaves one event that tells who, what, on what and how it ended',
    async () => {
      const id = await addConnection(hub, { connector_id: 'feed' })
      const at = `/v1/owner/connections/${id}`
      const subscription = { callback_url: 'http://127.0.0.1:59999/none' }
      const acts: [string, string, string, object | undefined][] = [
        ['rename_connection', 'PATCH', at, { display_name: 'x' }],
        ['initiate_connection', 'POST', '/v1/owner/connections/intents', { connector_id: 'amazon' }],
        ['pause_schedule', 'POST', `${at}/schedule/pause`, {}],
        ['resume_schedule', 'POST', `${at}/schedule/resume`, {}],
        ['delete_schedule', 'DELETE', `${at}/schedule`, undefined],
        ['revoke', 'POST', `${at}/revoke`, {}],
        ['reactivate', 'POST', `${at}/reactivate`, {}],
        ['delete', 'DELETE', '/v1/owner/connectors/feed', undefined],
        ['create_event_subscription', 'POST', '/v1/event-subscriptions', subscription],
      ]
      for (const [operation, method, path, body] of acts) {
        const { result, events } = await traced(() => hub.ask(method, path, body))
        expect([operation, result.status]).toEqual([operation, expect.toSatisfy((status) => status < 300)])
        expect([operation, events]).toMatchObject([
          operation,
          [{ status: 'succeeded', data: { ...FACTS, operation, outcome: 'succeeded' } }],
        ])
        expect(events[0].data.target_resource).toMatch(/^[a-z_]+\/\w+$/)
        expect(events[0].request_id).toBe(result.headers['request-id'])
      }
      const other = await addConnection(hub, { connector_id: 'calendar' })
      const { result, events } = await traced(() => hub.ask('POST', `/v1/owner/connections/${other}/run`, {}))
      expect(result.status).toBe(202)
      expect(events).toMatchObject([{ data: { ...FACTS, operation: 'run_now', run_id: result.body.run_id } }])
    },
  )

  test('no mutation that an agent can call goes without its event', () => {
    expect(MUTATIONS.length).toBeGreaterThan(9)
    expect(MUTATIONS.filter((one) => !('spine' in one)).map(({ name }) => name)).toEqual([])
  })
})

describe('what fails', () => {
  verifies(
    ['OWNR-083', 'OWNR-084', 'OWNR-085'],
    'validation and authority: a typed envelope, and an event that names the operation and the code',
    async () => {
      const id = await addConnection(hub)
      const path = `/v1/owner/connections/${id}`
      const viewer = hub.credentials.bearers.viewer as string
      const asViewer = async (method: string, body?: object) => {
        const answer = await send(hub.url, {
          method,
          path,
          bearer: viewer,
          ...(body && { body: JSON.stringify(body) }),
        })
        return { ...answer, body: JSON.parse(answer.text) }
      }
      const cases = [
        [
          () => hub.ask('PATCH', path, {}),
          400,
          'invalid_request',
          'invalid_request_error',
          'rename_connection',
        ],
        [
          () => asViewer('PATCH', { display_name: 'x' }),
          403,
          'permission_error',
          'permission_error',
          'rename_connection',
        ],
        [() => asViewer('DELETE'), 403, 'permission_error', 'permission_error', 'delete'],
        [
          () => hub.ask('POST', `${path}/reactivate`, {}),
          409,
          'connector_instance_not_revoked',
          'api_error',
          'reactivate',
        ],
      ] as const
      for (const [act, status, code, type, operation] of cases) {
        const { result, events } = await traced(act)
        expect([result.status, result.body.error]).toEqual([
          status,
          {
            type,
            code,
            message: expect.stringMatching(/./),
            request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
          },
        ])
        expect(result.headers['request-id']).toBe(result.body.error.request_id)
        expect(events).toMatchObject([
          {
            status: 'failed',
            object_id: id,
            request_id: result.body.error.request_id,
            data: {
              operation,
              outcome: 'failed',
              connection_id: id,
              connector_key: 'amazon',
              error: { code, http_status: status },
            },
          },
        ])
      }
      expect((await hub.events()).find(({ status }) => status === 'failed')).toBeDefined()
      const { records } = await recorded(hub, () => asViewer('DELETE'))
      expect(records.map(({ operation }) => operation)).toContain('owner_connection_delete')
      const clients = (await hub.events()).filter(({ actor_type }) => actor_type === 'client')
      expect(clients.length).toBeGreaterThan(1)
      for (const { client_id } of clients) expect(client_id).toBe(hub.credentials.token_ids.viewer)
    },
  )

  test('each mutation that is refused leaves one failed event, and a stranger none', async () => {
    await using own = await startOwnedHub()
    for (const operation of MUTATIONS) {
      const { input, answer } = requireExpectation(operation)
      const sent = requestOf(operation, input(own))
      const stranger = await traced(() => send(own.url, sent), own)
      expect([operation.name, stranger.result.status, stranger.events]).toEqual([operation.name, 401, []])
      const bearer = own.credentials.bearers.admin
      const { events } = await traced(() => send(own.url, { ...sent, bearer }), own)
      expect([operation.name, events]).toMatchObject([
        operation.name,
        [{ status: 'failed', data: { error: { code: 'permission_error', http_status: 403 } } }],
      ])
      if (!answer.startsWith('4')) continue
      const refused = await traced(() => send(own.url, { ...sent, bearer: own.bearer }), own)
      expect([operation.name, refused.events]).toMatchObject([
        operation.name,
        [{ status: 'failed', data: { ...FACTS, error: { http_status: Number(answer.slice(0, 3)) } } }],
      ])
    }
  })

  verifies('OWNR-086', 'the type of an error follows its status', async () => {
    const id = await addConnection(hub, { connector_id: 'mail' })
    const cases = [
      ['PATCH', `/v1/owner/connections/${id}`, hub.bearer, 400, 'invalid_request_error'],
      ['PATCH', `/v1/owner/connections/${id}`, undefined, 401, 'authentication_error'],
      ['PATCH', `/v1/owner/connections/${id}`, hub.credentials.bearers.admin, 403, 'permission_error'],
      ['POST', '/v1/owner/connections/none/revoke', hub.bearer, 404, 'not_found_error'],
      ['POST', `/v1/owner/connections/${id}/reactivate`, hub.bearer, 409, 'api_error'],
    ] as const
    for (const [method, path, bearer, status, type] of cases) {
      const body = method === 'PATCH' && status !== 403 ? '{}' : '{"display_name":"x"}'
      const sent = { method, path, bearer, body: method === 'POST' ? '{}' : body }
      const answer = await send(hub.url, sent)
      expect([answer.status, JSON.parse(answer.text).error.type]).toEqual([status, type])
    }
    await using strict = await startOwnedHub({ config: { rate_limits: { calls_per_minute: 20 } } })
    let last = await strict.ask('GET', '/v1/owner/control')
    for (let at = 0; at < 30 && last.status === 200; at++) last = await strict.ask('GET', '/v1/owner/control')
    expect([last.status, last.body.error.type]).toEqual([429, 'rate_limit_error'])
  })
})
