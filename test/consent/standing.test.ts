import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { draft, uses } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type RunningHub, startHub } from '../../src/surfaces/http/start-hub.ts'
import { OPEN_POLICY, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { type Visitor } from '../control/owner-visitor.ts'
import { DATABASES, type TestHub } from '../harness/test-hub.ts'
import {
  ask,
  command,
  connect,
  FLOW,
  GRANT,
  MEMBER,
  movedClock,
  newestConsent,
  post,
  read,
  refresh,
  startSignInHub,
  type Tokens,
  toolsOf,
} from './sign-in.fixture.ts'

let hub: TestHub
let owner: Visitor
const others: RunningHub[] = []
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop()
  await hub.close()
})

const call = (token: string) => ask(hub, token, 'tools/call', { name: 'web_search', arguments: {} })

test('a renewal brings a new grant of the same version under the same limits, on record', async () => {
  const clock = movedClock()
  ;({ hub, owner } = await startSignInHub({ clock }))
  const { tokens, client_id } = await connect(hub, owner)
  expect(tokens.expires_in).toBe(900)
  const first = await newestConsent(hub)
  clock.forward(890)
  const next: Tokens = read(await refresh(hub, client_id, tokens.refresh_token))
  const second = await newestConsent(hub)
  expect([second.renewals, second.grant_id === first.grant_id]).toEqual([2, false])
  expect(await toolsOf(hub, next.access_token)).toEqual(['flow_project', 'web_search'])
  const { grants } = await command(hub, 'flow_external_grant_list')
  expect(
    grants.map((one: { flow_version: string; revoked_at: string | null }) => [
      one.flow_version,
      one.revoked_at === null,
    ]),
  ).toEqual([
    [FLOW.flow.version, true],
    [FLOW.flow.version, false],
  ])
  const operations = await hub.hub.db.all(
    sql<{ operation: string; grant_id: string | null }>(
      `SELECT operation, grant_id FROM audit_records ORDER BY seq`,
    ),
  )
  expect(operations.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining([
      'mcp_client_register',
      'mcp_authorization_request',
      'owner_consent_view',
      'owner_consent_decide',
      'mcp_token_issue',
      'mcp_token_refresh',
    ]),
  )
  expect(
    operations.filter(({ operation }) => operation === 'flow_consent_grant').map(({ grant_id }) => grant_id),
  ).toEqual([first.grant_id, second.grant_id])
  // What the token was worth ends with its time, whatever was renewed.
  clock.forward(20)
  expect(await toolsOf(hub, tokens.access_token)).toBe(401)
  expect(await toolsOf(hub, next.access_token)).toHaveLength(2)
})

test('renewing often gives no more uses', async () => {
  const clock = movedClock()
  ;({ hub, owner } = await startSignInHub({ clock }))
  let { tokens, client_id } = await connect(hub, owner, { ...GRANT, max_invocations: '3' })
  const tried: boolean[] = []
  for (let at = 0; at < 5; at++) {
    const { result } = await call(tokens.access_token)
    tried.push(result.isError === true)
    clock.forward(40)
    tokens = read(await refresh(hub, client_id, tokens.refresh_token))
  }
  expect(tried).toEqual([false, false, false, true, true])
  clock.forward(800)
  tokens = read(await refresh(hub, client_id, tokens.refresh_token))
  expect((await call(tokens.access_token)).result.isError).not.toBe(true)
})

test('five refreshes at once get the same successor; one after the grace ends the family', async () => {
  const clock = movedClock()
  ;({ hub, owner } = await startSignInHub({ clock }))
  const { tokens, client_id } = await connect(hub, owner)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => refresh(hub, client_id, tokens.refresh_token)),
  )
  expect(
    new Set(
      answers.map(({ status, text }) =>
        [status, read({ text }).access_token, read({ text }).refresh_token].join(),
      ),
    ).size,
  ).toBe(1)
  const next: Tokens = read(answers[0] as { text: string })
  clock.forward(29)
  expect(read(await refresh(hub, client_id, tokens.refresh_token)).refresh_token).toBe(next.refresh_token)
  expect(await toolsOf(hub, next.access_token)).toHaveLength(2)
  clock.forward(2)
  expect(read(await refresh(hub, client_id, tokens.refresh_token)).error).toBe('invalid_grant')
  expect(await toolsOf(hub, next.access_token)).toBe(401)
  expect(read(await refresh(hub, client_id, next.refresh_token)).error).toBe('invalid_grant')
  expect(await newestConsent(hub)).toMatchObject({ state: 'ended', end_reason: 'reused' })
})

const changed = (external_agent: object) => ({
  ...OPEN_POLICY,
  external_agent: { ...OPEN_POLICY.external_agent, ...external_agent },
})

describe('a consent is over', () => {
  test.each([
    [
      'new_version',
      () =>
        publishOverRest(
          hub,
          draft({ flow_id: 'flow_connected', version: '1.1.0', step: uses('web_search') }),
          FLOW,
        ),
    ],
    [
      'tool_not_allowed',
      async () => hub.write(hub.home.vaultPolicy('default'), changed({ allowed_tools: ['calendar'] })),
    ],
    [
      'tool_changed',
      async () =>
        hub.write(
          hub.home.vaultPolicy('default'),
          changed({ allowed_tools: [{ id: 'web_search', description: 'Another one' }, 'calendar'] }),
        ),
    ],
  ])('at the next renewal: %s', async (reason, change) => {
    ;({ hub, owner } = await startSignInHub())
    const { tokens, client_id } = await connect(hub, owner)
    await change()
    const answer = await refresh(hub, client_id, tokens.refresh_token)
    expect([answer.status, read(answer).error]).toEqual([400, 'invalid_grant'])
    expect(await newestConsent(hub)).toMatchObject({ state: 'ended', end_reason: reason })
    expect(await toolsOf(hub, tokens.access_token)).toBe(401)
  })

  test('when its time is, and stays so though the clock is set back', async () => {
    const clock = movedClock()
    ;({ hub, owner } = await startSignInHub({ clock }))
    const { tokens, client_id } = await connect(hub, owner, { ...GRANT, standing_seconds: '86400' })
    clock.forward(86_400)
    expect(read(await refresh(hub, client_id, tokens.refresh_token)).error).toBe('invalid_grant')
    clock.forward(-86_400)
    expect(read(await refresh(hub, client_id, tokens.refresh_token)).error).toBe('invalid_grant')
    expect(await toolsOf(hub, tokens.access_token)).toBe(401)
  })

  test('when the program gives its token back', async () => {
    ;({ hub, owner } = await startSignInHub())
    const { tokens } = await connect(hub, owner, MEMBER)
    expect((await post(hub, '/oauth/revoke', { token: tokens.refresh_token })).status).toBe(200)
    expect((await post(hub, '/oauth/revoke', { token: 'kmcp_none' })).status).toBe(200)
    expect(await toolsOf(hub, tokens.access_token)).toBe(401)
    expect(await newestConsent(hub)).toMatchObject({ end_reason: 'given_back' })
  })
})

test('who was allowed one token gets nothing to renew it with', async () => {
  ;({ hub, owner } = await startSignInHub({ clock: movedClock() }))
  const { tokens } = await connect(hub, owner, { ...GRANT, standing_seconds: '0' })
  expect([tokens.refresh_token, tokens.expires_in]).toEqual([undefined, 900])
})

describe.each(DATABASES)('a revoke, on %s', (database) => {
  test('counts at both of two hubs from the next call, and cuts a stream within a second', async () => {
    ;({ hub, owner } = await startSignInHub({ database }))
    const other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
    others.push(other)
    const { tokens } = await connect(hub, owner, MEMBER)
    expect(await toolsOf(other, tokens.access_token)).toContain('flow_list')
    const streams = await Promise.all([hub, other].map(({ url }) => listen(url, tokens.access_token)))
    // Nothing else ends them.
    expect(await Promise.race([...streams.map(({ cut }) => cut), pause(1_500, 'open')])).toBe('open')
    const { consent_id } = await newestConsent(hub)
    expect(await command(hub, 'owner_consent_revoke', { consent_id })).toMatchObject({
      state: 'ended',
      end_reason: 'revoked',
    })
    expect([await toolsOf(hub, tokens.access_token), await toolsOf(other, tokens.access_token)]).toEqual([
      401, 401,
    ])
    // Without the cut they would stay open for good.
    await Promise.all(streams.map(({ cut }) => cut))
  })
})

/** Opens a stream that stays open; resolves to what resolves when it is cut. */
async function listen(url: string, bearer: string): Promise<{ cut: Promise<void> }> {
  const version = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'listener', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { _meta: meta, notifications: { toolsListChanged: true } }
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': version,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const first = await reader.read()
  expect(first.done).toBe(false)
  const cut = (async () => {
    for (;;) {
      const piece = await reader.read().catch(() => ({ done: true }))
      if (piece.done) return
    }
  })()
  return { cut }
}
