import { expect, test } from 'vitest'
import { makeAgent, setUpOwner } from '../control/owner-visitor.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { type Clock, startTestHub } from '../harness/test-hub.ts'
import { makeToolProject } from '../toolbox/surface-project.fixture.ts'
import { auditRecords, send } from './rest-hub.fixture.ts'

test('a local token counts until the millisecond at which it ends, and not in it', async () => {
  const start = new Date('2026-11-02T10:00:00.000Z')
  const clock: Clock = { now: start }
  await using hub = await startTestHub({ clock })
  const { text } = await send(hub.url, {
    method: 'POST',
    path: '/api/v1/tokens',
    bearer: hub.credentials.bearers.admin,
    body: JSON.stringify({ role: 'viewer', ttl_seconds: 60 }),
  })
  const { bearer, token } = JSON.parse(text) as { bearer: string; token: { expires_at: string } }
  expect(token.expires_at).toBe('2026-11-02T10:01:00.000Z')
  const statusAfter = async (ms: number) => {
    clock.now = new Date(start.getTime() + ms)
    return (await send(hub.url, { path: '/api/v1/whoami', bearer })).status
  }
  expect([await statusAfter(59_999), await statusAfter(60_000), await statusAfter(60_001)]).toEqual([
    200, 401, 401,
  ])
})

test('the record of a token’s making names it, as that of its end does', async () => {
  await using hub = await startTestHub()
  const call = async (method: string, path: string, body?: object) =>
    (
      await send(hub.url, {
        method,
        path,
        bearer: hub.credentials.bearers.admin,
        ...(body && { body: JSON.stringify(body) }),
      })
    ).text
  const { token } = JSON.parse(await call('POST', '/api/v1/tokens', { role: 'viewer' }))
  await call('DELETE', `/api/v1/tokens/${token.token_id}`)
  const of = { target_kind: 'token', target_id: token.token_id, outcome: 'allowed' }
  expect((await auditRecords(hub)).slice(-2)).toEqual([
    expect.objectContaining({ operation: 'token_create', ...of }),
    expect.objectContaining({ operation: 'token_revoke', ...of }),
  ])
})

test('the hub’s own token counts as a whole, not by its form', async () => {
  await using hub = await startTestHub()
  const whole = hub.credentials.bearers.hub as string
  const statusOf = async (bearer: string) => (await send(hub.url, { path: '/api/v1/whoami', bearer })).status
  const another = `${whole.slice(0, -1)}${whole.endsWith('0') ? 1 : 0}`
  expect([await statusOf(whole), await statusOf(another), await statusOf('x'.repeat(whole.length))]).toEqual([
    200, 401, 401,
  ])
})

test('neither the owner’s session nor an agent of theirs nor a seat counts under a hosted name', async () => {
  await using hub = await startTestHub()
  const owner = await setUpOwner(hub)
  const { bearer: agent } = await makeAgent(hub, owner)
  using project = makeToolProject()
  const made = await sendAsOwner(hub, {
    method: 'POST',
    path: '/api/v1/tool-sessions',
    body: JSON.stringify({ project: project.root, service: 'services/web' }),
  })
  const { bearer: seat } = JSON.parse(made.text) as { bearer: string }
  const path = '/api/v1/whoami'
  const codes = async (headers: Record<string, string>) => [
    (await owner.ask({ path, headers })).status,
    (await send(hub.url, { path, bearer: agent, headers })).status,
    (await send(hub.url, { path, bearer: seat, headers })).status,
  ]
  // An agent and a seat are known here, and may not ask this.
  expect(await codes({})).toEqual([200, 403, 403])
  const { port } = new URL(hub.url)
  for (const host of ['api.knowtation.store', `api.knowtation.store:${port}`])
    expect(await codes({ host })).toEqual([401, 401, 401])
})

test('a session does not stand in for a credential that is named and does not count', async () => {
  await using hub = await startTestHub()
  const owner = await setUpOwner(hub)
  const path = '/api/v1/whoami'
  for (const authorization of ['Bearer garbage', 'Bearer', 'Basic b3duZXI6', ''])
    expect([authorization, (await owner.ask({ path, headers: { authorization } })).status]).toEqual([
      authorization,
      401,
    ])
  expect((await owner.ask({ path })).status).toBe(200)
})
