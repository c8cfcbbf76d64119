import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/operations/define-operation.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { ownerOrigin } from '../control/owner-visitor.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { answerOf, requestOf, requireExpectation, routed } from '../rest/routes.fixture.ts'

/**
 * Who comes how far on the owner's surface. Change it knowingly: `in` means let in, to be answered as any
 * owner would be. A client is a member of a vault, whatever their role; where a session is the only
 * credential there is, every other one counts as none. `mcp` says whether it is a tool.
 */
const MATRIX = `
GET /v1/owner/control                                                401 403 in  in  403 no  -
POST /v1/owner/links                                                 401 403 403 403 403 no  owner login
GET /v1/owner/sessions                                               401 403 403 in  403 no  owner session list
DELETE /v1/owner/sessions                                            401 403 403 in  403 no  owner sign-out
GET /v1/owner/devices/{user_code}                                    401 403 403 in  403 no  owner device show
POST /v1/owner/devices/{user_code}/approve                           401 403 403 in  403 no  owner device approve
POST /v1/owner/devices/{user_code}/deny                              401 403 403 in  403 no  owner device deny
GET /v1/owner/agents                                                 401 403 403 in  403 no  owner agent list
DELETE /v1/owner/agents/{agent_id}                                   401 403 403 in  403 no  owner agent revoke
GET /v1/owner/consents                                               401 403 403 in  403 no  consent list
GET /v1/owner/consents/{consent_id}                                  401 403 403 in  403 no  consent show
DELETE /v1/owner/consents/{consent_id}                               401 403 403 in  403 no  consent revoke
GET /v1/owner/policy                                                 401 403 403 in  403 no  policy show
GET /v1/owner/policy/history                                         401 403 403 in  403 no  policy history
PUT /v1/owner/policy                                                 401 403 403 in  403 no  policy edit
POST /v1/owner/policy/revert                                         401 403 403 in  403 no  policy revert
POST /v1/owner/policy/gates/{gate}/open                              401 403 403 in  403 no  policy gate open
POST /v1/owner/policy/gates/{gate}/close                             401 403 403 in  403 no  policy gate close
POST /v1/owner/policy/tools                                          401 403 403 in  403 no  policy tool add
GET /v1/owner/policy/tools/{tool_id}                                 401 403 403 in  403 no  policy tool show
DELETE /v1/owner/policy/tools/{tool_id}                              401 403 403 in  403 no  policy tool remove
POST /v1/owner/policy/tools/{tool_id}/test                           401 403 403 in  403 no  policy tool test
POST /v1/owner/policy/check                                          401 403 403 in  403 no  policy check
GET /v1/owner/providers                                              401 403 403 in  403 no  provider list
POST /v1/owner/providers                                             401 403 403 in  403 no  provider add
POST /v1/owner/providers/several                                     401 403 403 in  403 no  provider add-many
POST /v1/owner/providers/{name}/test                                 401 403 403 in  403 no  provider test
DELETE /v1/owner/providers/{name}                                    401 403 403 in  403 no  provider remove
GET /v1/owner/approvals                                              401 403 403 in  403 no  approval list
GET /v1/owner/approvals/{approval_id}                                401 403 403 in  403 no  approval show
POST /v1/owner/approvals/{approval_id}/decision                      401 403 403 in  403 no  -
GET /v1/owner/providers/{provider}/tools                             401 403 403 in  403 no  provider import
POST /v1/owner/providers/{provider}/tools                            401 403 403 in  403 no  provider take
POST /v1/owner/provider-reviews/{review_id}/accept                   401 403 403 in  403 no  provider review accept
GET /v1/owner/provider-reviews                                       401 403 403 in  403 no  provider review list
GET /v1/owner/provider-reviews/{review_id}                           401 403 403 in  403 no  provider review show
POST /v1/owner/provider-reviews/{review_id}/keep                     401 403 403 in  403 no  provider review keep
GET /v1/owner/presence/{presence_id}                                 401 403 403 in  403 no  -
POST /v1/owner/presence/{presence_id}/decision                       401 403 403 in  403 no  -
GET /v1/owner/passkeys                                               401 403 403 in  403 no  owner passkey list
DELETE /v1/owner/passkeys/{passkey_id}                               401 403 403 in  403 no  owner passkey remove
GET /v1/owner/connector-templates                                    401 403 in  in  403 no  owner connector list
GET /v1/owner/connections                                            401 403 in  in  403 no  owner connection list
GET /v1/owner/connections/{connection_id}                            401 403 in  in  403 no  owner connection show
PATCH /v1/owner/connections/{connection_id}                          401 403 in  in  403 no  owner connection rename
PATCH /v1/owner/connectors/{connector_id}                            401 403 in  in  403 no  -
POST /v1/owner/connections/{connection_id}/revoke                    401 403 in  in  403 no  owner connection revoke
POST /v1/owner/connectors/{connector_id}/revoke                      401 403 in  in  403 no  -
POST /v1/owner/connections/{connection_id}/reactivate                401 403 in  in  403 no  owner connection reactivate
POST /v1/owner/connectors/{connector_id}/reactivate                  401 403 in  in  403 no  -
DELETE /v1/owner/connections/{connection_id}                         401 403 in  in  403 no  owner connection delete
DELETE /v1/owner/connectors/{connector_id}                           401 403 in  in  403 no  -
GET /v1/owner/connections/{connection_id}/diagnostics                401 403 in  in  403 no  owner connection diagnostics
GET /v1/owner/connectors/{connector_id}/diagnostics                  401 403 in  in  403 no  -
POST /v1/owner/connections/intents                                   401 403 in  in  403 no  owner intent create
GET /v1/owner/connections/intents                                    401 403 in  in  403 no  owner intent list
GET /v1/owner/connections/intents/{intent_id}                        401 403 in  in  403 no  owner intent show
POST /v1/owner/connections/intents/{intent_id}/cancel                401 403 in  in  403 no  owner intent cancel
POST /_ref/intents/{intent_id}/authorize                             401 401 401 in  401 no  owner intent open
POST /_ref/intents/{intent_id}/complete                              401 401 401 in  401 no  owner intent complete
POST /_ref/intents/callback                                          401 401 401 in  401 no  -
POST /_ref/collectors/enroll                                         401 401 401 in  401 no  collector enroll
GET /_ref/devices                                                    401 401 401 in  401 no  collector list
GET /_ref/events                                                     401 401 401 in  401 no  owner event list
GET /_ref/events/verify                                              401 401 401 in  401 no  owner event verify
POST /v1/owner/connections/{connection_id}/run                       401 403 in  in  403 no  owner run start
POST /v1/owner/connectors/{connector_id}/run                         401 403 in  in  403 no  -
GET /v1/owner/connections/{connection_id}/runs                       401 403 in  in  403 no  owner run list
GET /v1/owner/connections/{connection_id}/runs/{run_id}              401 403 in  in  403 no  owner run show
GET /v1/owner/connections/{connection_id}/runs/{run_id}/events       401 403 in  in  403 no  owner run watch
POST /_ref/runs/{run_id}/cancel                                      401 401 401 in  401 no  owner run cancel
GET /_ref/runs                                                       401 401 401 in  401 no  owner run live
PUT /v1/owner/connections/{connection_id}/schedule                   401 403 in  in  403 no  owner schedule set
PUT /v1/owner/connectors/{connector_id}/schedule                     401 403 in  in  403 no  -
POST /v1/owner/connections/{connection_id}/schedule/pause            401 403 in  in  403 no  owner schedule pause
POST /v1/owner/connectors/{connector_id}/schedule/pause              401 403 in  in  403 no  -
POST /v1/owner/connections/{connection_id}/schedule/resume           401 403 in  in  403 no  owner schedule resume
POST /v1/owner/connectors/{connector_id}/schedule/resume             401 403 in  in  403 no  -
DELETE /v1/owner/connections/{connection_id}/schedule                401 403 in  in  403 no  owner schedule delete
DELETE /v1/owner/connectors/{connector_id}/schedule                  401 403 in  in  403 no  -
GET /v1/owner/connections/{connection_id}/streams                    401 403 in  in  403 no  owner record streams
GET /v1/owner/connections/{connection_id}/streams/{stream}/records   401 403 in  in  403 no  owner record list
GET /v1/owner/connections/{connection_id}/streams/{stream}/record    401 403 in  in  403 no  owner record get
GET /v1/owner/connections/{connection_id}/streams/search             401 403 in  in  403 no  owner record search
GET /v1/owner/schedule-preview                                       401 403 403 in  403 no  owner schedule preview
GET /v1/owner/requests                                               401 403 403 in  403 no  owner request list
POST /v1/event-subscriptions                                         401 403 in  in  403 no  owner subscription create
GET /v1/event-subscriptions                                          401 403 in  in  403 no  owner subscription list
GET /v1/event-subscriptions/{subscription_id}                        401 403 in  in  403 no  owner subscription show
PATCH /v1/event-subscriptions/{subscription_id}                      401 403 in  in  403 no  owner subscription update
DELETE /v1/event-subscriptions/{subscription_id}                     401 403 in  in  403 no  owner subscription delete
POST /v1/event-subscriptions/{subscription_id}/test-event            401 403 in  in  403 no  owner subscription test
GET /v1/event-subscriptions/{subscription_id}/events                 401 403 in  in  403 no  owner subscription events
`

interface Row {
  rest: string
  cells: Record<'none' | 'client' | 'agent' | 'session' | 'hub', string>
  mcp: string
  cli: string
}

const rows: Row[] = MATRIX.trim()
  .split('\n')
  .map((line) => {
    const [method, path, none, client, agent, session, hub, mcp, ...cli] = line.split(/ +/) as string[]
    const cells = { none, client, agent, session, hub } as Row['cells']
    return { rest: `${method} ${path}`, cells, mcp: mcp as string, cli: cli.join(' ') }
  })

const owned = routed.filter(({ authority }) => authority.kind === 'owner_surface')
const operationOf = ({ rest }: Row) => owned.find((one) => one.rest === rest) as Operation

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())

function ask(row: Row, bearer: string | undefined) {
  const operation = operationOf(row)
  return send(hub.url, { ...requestOf(operation, requireExpectation(operation).input(hub)), bearer })
}

function askInSession(row: Row) {
  const operation = operationOf(row)
  const { body, method = 'GET', path } = requestOf(operation, requireExpectation(operation).input(hub))
  const origin = ownerOrigin(hub)
  const headers = { origin, ...(body !== undefined && { 'content-type': 'application/json' }) }
  return hub.owner.ask({ method, path, headers, ...(body !== undefined && { body }) })
}

const WORDS: Readonly<Record<string, string>> = {
  401: '401 authentication_error',
  403: '403 permission_error',
}
const wordsOf = (row: Row, cell: string) =>
  cell === 'in' ? requireExpectation(operationOf(row)).answer : (WORDS[cell] as string)

test('the matrix has every route of the owner’s surface, with its command', () => {
  const described = rows.map(({ rest, mcp, cli }) => [rest, mcp, cli])
  const real = owned.map(({ rest, mcp, cli }) => [rest, mcp ? 'yes' : 'no', cli?.replace(/ <.*/, '') ?? '-'])
  expect(described.toSorted()).toEqual(real.toSorted())
})

/** The rows whose answer to somebody is not what the matrix says. */
async function wrong(who: keyof Row['cells'], answer: (row: Row) => ReturnType<typeof ask>) {
  const found: string[] = []
  for (const row of rows) {
    const got = answerOf(await answer(row))
    const expected = wordsOf(row, row.cells[who])
    if (got !== expected) found.push(`${row.rest}: ${got}, not ${expected}`)
  }
  return found
}

describe('over REST', () => {
  test('whoever brings no credential', async () => {
    expect(await wrong('none', (row) => ask(row, undefined))).toEqual([])
    const bearer = `kown_${'0'.repeat(16)}_${'0'.repeat(64)}`
    expect(await wrong('none', (row) => ask(row, bearer))).toEqual([])
  })

  test.each(['viewer', 'editor', 'evaluator', 'admin', 'gateway'] as const)('a client: %s', async (who) => {
    expect(await wrong('client', (row) => ask(row, hub.credentials.bearers[who]))).toEqual([])
  })

  test('an agent of the owner’s', async () => {
    expect(await wrong('agent', (row) => ask(row, hub.bearer))).toEqual([])
  })

  test('the owner, signed in', async () => {
    // Signing out everywhere ends the session that asks, so it comes last.
    rows.sort(
      (a, b) => Number(a.rest.endsWith('/owner/sessions')) - Number(b.rest.endsWith('/owner/sessions')),
    )
    expect(await wrong('session', askInSession)).toEqual([])
  })

  test('the token of the hub itself', async () => {
    expect(await wrong('hub', (row) => ask(row, hub.credentials.bearers.hub))).toEqual([])
  })
})

describe('input that cannot be read', () => {
  const unread: [what: string, change: (request: ReturnType<typeof requestOf>) => object][] = [
    ['a body that is no JSON', (request) => ({ ...request, body: '{"' })],
    ['a key that is not known', (request) => ({ ...request, body: '{"nonsense":1}' })],
    ['a query that is not known', ({ path, ...request }) => ({ ...request, path: `${path}?nonsense=1` })],
    ['a vault that is not there', (request) => ({ ...request, headers: { 'x-vault-id': 'nowhere' } })],
  ]
  const who = [
    ['client', 'admin', unread.slice(0, 3)],
    ['hub', 'hub', unread],
  ] as const
  test.each(who)('tells a caller who may not ask nothing: %s', async (cell, name, changes) => {
    const bearer = hub.credentials.bearers[name]
    for (const [what, change] of changes) {
      const found = await wrong(cell, (row) => {
        const operation = operationOf(row)
        const request = requestOf(operation, requireExpectation(operation).input(hub))
        return send(hub.url, { ...request, ...change(request), bearer } as Parameters<typeof send>[1])
      })
      expect([what, found]).toEqual([what, []])
    }
  })
})

const callOf = (name: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })

describe('over MCP', () => {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
  verifies(
    'OWNR-025',
    'nothing of the owner’s is a tool, by its own name or by that of its family',
    async () => {
      const names = [...owned.map(({ name }) => name), 'delete_connection', 'cancel_run']
      for (const who of ['viewer', 'admin', 'gateway', 'hub'] as const) {
        const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers[who])
        const { tools } = await client.listTools()
        expect(tools.map(({ name }) => name).filter((name) => names.includes(name))).toEqual([])
        for (const name of names) {
          const refused = await client.callTool({ name, arguments: {} }).then(
            ({ isError }) => isError === true,
            () => true,
          )
          expect([name, refused]).toEqual([name, true])
        }
        await client.close()
      }
      for (const name of names) {
        const sent = { method: 'POST', path: '/mcp', bearer: hub.bearer, body: callOf(name), headers }
        expect([name, (await send(hub.url, sent)).status]).toEqual([name, 403])
      }
    },
  )
})
