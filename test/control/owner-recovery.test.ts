import { describe, expect, test } from 'vitest'
import { createMcpConsent, findStandingConsent } from '../../src/platform/identity/mcp/mcp-consents.ts'
import { createPasskey } from '../../src/platform/identity/owner-passkeys.ts'
import { createSession, findLiveSession } from '../../src/platform/identity/seat-store.ts'
import { createToken } from '../../src/platform/identity/token-store.ts'
import { ask } from '../external-agent/gate-hub.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { recorded, send, startRestHub } from '../rest/rest-hub.fixture.ts'
import {
  askForAgent,
  makeAgent,
  makeLink,
  PASSWORD,
  setUpOwner,
  signIn,
  type Visitor,
  visitorOf,
} from './owner-visitor.ts'
import { subscriberOf } from './subscribers.ts'

const NEXT = 'a wholly new password'

const SEAT = {
  vault_id: 'default',
  role: 'dev',
  project_root: '/nowhere',
  service_root: '/nowhere',
  isolation_level: null,
  allowed_commands: null,
  created_by: 'owner',
  expires_at: '2100-01-01T00:00:00.000Z',
}
const CONSENT = {
  label: 'A program',
  client_id: 'client',
  client_name: 'A program',
  client_address: 'http://127.0.0.1',
  kind: 'membership',
  vault_id: 'default',
  role: 'viewer',
  terms: undefined,
  decided_by: 'owner',
  standing_seconds: 3_600,
} as const

const tokenOf = (created_by: string) => ({
  vault_id: 'default',
  role: 'viewer' as const,
  label: null,
  created_by,
  expires_at: null,
})

describe.each(DATABASES)('an owner who fears that somebody else got in (%s)', (database) => {
  /** What a thief may hold: an open link, a passkey, an agent's bearer, a token, a seat and a consent. */
  async function robbed() {
    const hub = await startRestHub({ database })
    const owner = await setUpOwner(hub)
    const { bearer: agent } = await makeAgent(hub, owner)
    const { hub: of } = hub
    const made = {
      credential_id: 'c',
      public_key: 'AAAA',
      counter: 0,
      transports: '[]',
      label: 'x',
      origin: null,
    }
    await of.db.transaction((tx) => createPasskey(tx, of.system, made))
    const others = await of.db.transaction(async (tx) => {
      const { bearer } = await createSession(tx, of.system, SEAT)
      const { consent_id } = await createMcpConsent(tx, of.system, CONSENT)
      return { seat: bearer, consent_id }
    })
    const thief = await makeLink(hub)
    await owner.get('/owner/form-token')
    const opens = async () => (await visitorOf(hub).get(thief.path)).status
    const left = async () => {
      const { stdout } = await runInProcess(['owner', 'passkey', 'list', '--json'], hub.options.env)
      return {
        passkeys: JSON.parse(stdout).data.length,
        agent: (await send(hub.url, { path: '/v1/owner/control', bearer: agent })).status,
        token: (await send(hub.url, { path: '/api/v1/whoami', bearer: hub.credentials.bearers.editor }))
          .status,
        seat: (await findLiveSession(of.db, others.seat, of.system.now())) !== undefined,
        consent: (await findStandingConsent(of.db, others.consent_id, of.system.now())) !== undefined,
      }
    }
    return { hub, owner, opens, left, [Symbol.asyncDispose]: () => hub.close() }
  }
  const ways: [string, (owner: Visitor, more: Record<string, string>) => Promise<{ status: number }>][] = [
    ['signs out everywhere', (owner, more) => owner.post('/owner/sign-out-everywhere', more)],
    [
      'takes a new password',
      (owner, more) => owner.post('/owner/password', { current: PASSWORD, password: NEXT, ...more }),
    ],
  ]

  test.each(ways)('%s: open links are over, the rest stays', async (_way, act) => {
    await using one = await robbed()
    expect(await one.opens()).toBe(200)
    expect((await act(one.owner, {})).status).toBe(303)
    expect(await one.opens()).toBe(401)
    expect(await one.left()).toEqual({ passkeys: 1, agent: 200, token: 200, seat: true, consent: true })
  })

  test.each(ways)('%s, and throws away what else opens the hub', async (_way, act) => {
    await using one = await robbed()
    expect((await act(one.owner, { passkeys: 'yes', agents: 'yes', tokens: 'yes' })).status).toBe(303)
    expect(await one.left()).toEqual({ passkeys: 0, agent: 401, token: 401, seat: false, consent: false })
  })

  test.each(ways)('%s: with the agents goes what they are told of', async (_way, act) => {
    await using hub = await startRestHub({ database })
    const owner = await setUpOwner(hub)
    const { bearer } = await makeAgent(hub, owner)
    const nowhere = 'http://127.0.0.1:9/'
    const theirs = await subscriberOf(hub, bearer).create(nowhere)
    const whole = subscriberOf(hub)
    const own = await whole.create(nowhere)
    await owner.get('/owner/form-token')
    expect((await act(owner, { agents: 'yes' })).status).toBe(303)
    expect(await whole.show(theirs.subscription_id)).toMatchObject({
      status: 'disabled_revoked',
      disabled_reason: 'agent_revoked',
    })
    expect(await whole.show(own.subscription_id)).toMatchObject({ disabled_reason: null })
  })

  test.each(ways)(
    '%s: an agent that was approved and has not fetched its bearer gets none',
    async (_way, act) => {
      await using hub = await startRestHub({ database })
      const owner = await setUpOwner(hub)
      const { user_code, poll } = await askForAgent(hub)
      await owner.get(`/device?user_code=${user_code}`)
      expect((await owner.post('/device/approve', { user_code })).status).toBe(200)
      await owner.get('/owner/form-token')
      expect((await act(owner, {})).status).toBe(303)
      expect((await poll()).body).toMatchObject({ error: 'access_denied' })
    },
  )

  test('does the same at the command line', async () => {
    await using one = await robbed()
    const { env } = one.hub.options
    const list = await runInProcess(['owner', 'passkey', 'list', '--json'], env)
    const [passkey] = (JSON.parse(list.stdout) as { data: { passkey_id: string }[] }).data
    const shown = async () => (await runInProcess(['owner', 'passkey', 'list'], env)).stdout
    expect(await shown()).toContain(passkey?.passkey_id)
    const removed = await runInProcess(['owner', 'passkey', 'remove', passkey?.passkey_id as string], env)
    expect([removed.exit, removed.stderr]).toEqual([0, ''])
    expect(await shown()).toContain('No passkeys.')
    const out = await runInProcess(['owner', 'sign-out', '--agents', '--tokens', '--json'], env)
    expect(JSON.parse(out.stdout)).toMatchObject({
      ended_links: 1,
      removed_passkeys: 0,
      revoked_agents: 1,
      // Four tokens, a seat and a consent.
      revoked_tokens: 6,
    })
    expect(await one.left()).toEqual({ passkeys: 0, agent: 401, token: 401, seat: false, consent: false })
    expect((await signIn(one.hub)).done.status).toBe(303)
  })

  test('hears of the tokens that a token made, and revokes them with it', async () => {
    await using hub = await startRestHub({ database })
    const { admin } = hub.credentials.bearers
    const make = async (bearer: string | undefined, role: string) => {
      const { text } = await send(hub.url, {
        method: 'POST',
        path: '/api/v1/tokens',
        bearer,
        body: JSON.stringify({ role }),
      })
      return JSON.parse(text) as { bearer: string; token: { token_id: string } }
    }
    const child = await make(admin, 'admin')
    const grandchild = await make(child.bearer, 'editor')
    const other = await make(hub.credentials.bearers.hub, 'viewer')
    const works = async (bearer: string) => (await send(hub.url, { path: '/api/v1/whoami', bearer })).status
    const token_id = hub.credentials.token_ids.admin
    const told = await ask(hub, 'token_revoke', { token_id }, { as: 'owner' })
    const ids = (told.body.made as { token_id: string }[]).map((one) => one.token_id)
    expect([ids, told.body.made_revoked]).toEqual([[child.token.token_id, grandchild.token.token_id], false])
    expect([await works(child.bearer), await works(grandchild.bearer)]).toEqual([200, 200])
    const { result, records } = await recorded(hub, () =>
      ask(hub, 'token_revoke', { token_id, with_made: true }, { as: 'owner' }),
    )
    expect(result.body.made_revoked).toBe(true)
    expect([await works(child.bearer), await works(grandchild.bearer), await works(other.bearer)]).toEqual([
      401, 401, 200,
    ])
    expect(records.map((one) => one.target_id)).toEqual([token_id, ...ids])
  })

  test('follows what a token made through tokens that were revoked before, however many there are', async () => {
    await using hub = await startRestHub({ database })
    const { db, system } = hub.hub
    const token_id = hub.credentials.token_ids.admin
    const { last, between } = await db.transaction(async (tx) => {
      for (let many = 0; many < 1_001; many++) await createToken(tx, system, tokenOf(`token:${token_id}`))
      const { token } = await createToken(tx, system, tokenOf(`token:${token_id}`))
      return {
        between: token.token_id,
        last: await createToken(tx, system, tokenOf(`token:${token.token_id}`)),
      }
    })
    await ask(hub, 'token_revoke', { token_id: between }, { as: 'owner' })
    const told = await ask(hub, 'token_revoke', { token_id, with_made: true }, { as: 'owner' })
    expect(told.body.made).toHaveLength(1_002)
    expect((await send(hub.url, { path: '/api/v1/whoami', bearer: last.bearer })).status).toBe(401)
  })
})
