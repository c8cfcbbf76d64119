import { afterAll, beforeAll, expect, test } from 'vitest'
import { allOperations } from '../../src/domains/index.ts'
import { insertLock } from '../../src/platform/locks/lock-store.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { requestOf, requireExpectation } from '../rest/routes.fixture.ts'
import { type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { visitorOf } from './owner-visitor.ts'

const PAGES = ['/external-agents', '/subscriptions']

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
  const lock = {
    kind: 'all',
    id: '*',
    reason: 'a drill',
    locked_at: '2026-11-02T10:00:00.000Z',
    locked_by: 'local:local',
  } as const
  await hub.hub.db.transaction((tx) => insertLock(tx, hub.hub.system, lock))
})
afterAll(() => hub.close())

/** What the owner may look at: it changes nothing, and reaches nothing outside. */
const looks = allOperations.filter(
  ({ effect, outward, openWorld, authority }) =>
    effect === 'read' &&
    !outward &&
    !openWorld &&
    !authority.kind.endsWith('seat') &&
    authority.kind !== 'visitor',
)

test('under a lock on everything the owner still sees everything, over REST', async () => {
  const blind: string[] = []
  for (const operation of looks.filter(({ rest, waits }) => rest !== undefined && !waits)) {
    const { status, text } = await sendAsOwner(
      hub,
      requestOf(operation, requireExpectation(operation).input(hub)),
    )
    // What explains a refusal names the lock: that is no refusal of its own.
    if (status === 423 || (text.includes('LOCKED') && operation.name !== 'explain'))
      blind.push(operation.name)
  }
  expect(looks.length).toBeGreaterThan(40)
  expect(blind).toEqual([])
})

test('what the owner may do under it stops something or takes it away, and nothing else is done', () => {
  const done = allOperations.filter(({ effect, whileLocked }) => whileLocked && effect !== 'read')
  expect(done.map(({ name }) => name).toSorted()).toEqual([
    'alert_acknowledge',
    'boundary_cancel',
    'event_subscription_delete',
    'flow_external_grant_revoke',
    'hub_token_rotate',
    'lock_add',
    'lock_release',
    'owner_agent_revoke',
    'owner_approval_deny',
    'owner_connection_revoke',
    'owner_connector_revoke',
    'owner_consent_revoke',
    'owner_device_deny',
    'owner_intent_cancel',
    'owner_link_create',
    'owner_passkey_remove',
    'owner_policy_gate_close',
    'owner_policy_tool_remove',
    'owner_presence_decide',
    'owner_provider_remove',
    'owner_run_cancel',
    'owner_sign_out_everywhere',
    'secrets_key_rotate',
    'token_revoke',
    'tool_session_revoke',
  ])
})

test('and at the command line', async () => {
  for (const line of [
    'flow list',
    'proposal list',
    'flow grant list',
    'ledger list',
    'boundary list',
    'tool session list',
  ])
    expect([line, (await runInProcess(line.split(' '), hub.options.env)).stderr]).toEqual([
      line,
      expect.not.stringContaining('LOCKED'),
    ])
})

test('nobody else does, and nothing is changed', async () => {
  for (const bearer of [hub.credentials.bearers.hub, hub.credentials.bearers.admin])
    expect((await send(hub.url, { path: '/api/v1/flows', bearer })).status).toBe(423)
  expect((await send(hub.url, { path: '/v1/owner/connections', bearer: hub.bearer })).status).toBe(423)
  const made = await sendAsOwner(hub, { method: 'POST', path: '/api/v1/tokens', body: '{"role":"viewer"}' })
  expect(made.status).toBe(423)
})

test('every page says that everything is stopped, since when, and how to go on', async () => {
  for (const page of [...PAGES.map((path) => `/owner${path}`), '/device', '/']) {
    const { status, text } = await hub.owner.ask({ path: page, headers: { accept: 'text/html' } })
    expect([page, status]).toEqual([page, 200])
    const banner = /<p class="stopped" role="alert">(.*?)<\/p>/.exec(text)?.[1]
    expect([page, banner]).toEqual([page, expect.stringContaining('since 2026-11-02 10:00 UTC')])
    expect(banner).toContain('href="/console"')
    expect(banner).toContain('knowtation lock release all')
  }
  expect((await visitorOf(hub).get('/owner/sign-in')).text).not.toContain('class="stopped"')
  await sendAsOwner(hub, { method: 'DELETE', path: '/api/v1/locks/all' })
  expect((await hub.owner.get('/device')).text).not.toContain('class="stopped"')
})
