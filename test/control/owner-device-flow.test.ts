import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { realSystem } from '../../src/platform/basics/system.ts'
import { DEVICE_TTL_SECONDS } from '../../src/platform/identity/owner-device-grants.ts'
import { findUserCode, makeUserCode } from '../../src/platform/identity/owner-user-code.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { type Clock, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { recorded, send } from '../rest/rest-hub.fixture.ts'
import {
  askForAgent,
  makeAgent,
  oauth,
  revokeAgent,
  setUpOwner,
  signIn,
  type Visitor,
} from './owner-visitor.ts'

const allGrants = sql<Record<string, string>>('SELECT * FROM owner_device_grants')
const allAgents = sql<Record<string, string>>('SELECT * FROM owner_agents')

let hub: TestHub
let owner: Visitor
const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
const pass = (count: number) => void (clock.now = new Date((clock.now as Date).getTime() + count * 1_000))

beforeAll(async () => {
  hub = await startTestHub({ clock })
  owner = await setUpOwner(hub)
})
afterAll(() => hub.close())
// Each test begins in a minute of its own, so that no limit of another's counts.
beforeEach(() => pass(61))

async function decide(decision: 'approve' | 'deny', user_code: string) {
  const page = await owner.get(`/device?user_code=${user_code}`)
  expect(page.text).toContain('Let this agent in?')
  return owner.post(`/device/${decision}`, { user_code })
}

describe('a program that wants to be an owner agent', () => {
  verifies('OWNR-036', 'gets a bearer only after the owner approved, and only once', async () => {
    const { user_code, poll, interval } = await askForAgent(hub)
    expect([interval, DEVICE_TTL_SECONDS]).toEqual([5, 300])
    const pending = await poll()
    expect([pending.status, pending.body.error]).toEqual([400, 'authorization_pending'])
    const { result, records } = await recorded(hub, () => decide('approve', user_code))
    expect(result.text).toContain('Approved')
    expect(records.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      'owner_device_show allowed',
      'owner_device_approve allowed',
      'owner_device_approved allowed',
    ])
    pass(5)
    const issued = await poll()
    expect(issued.body).toMatchObject({ token_type: 'Bearer', scope: 'owner', pdpp_token_kind: 'owner' })
    expect(issued.body.access_token).toMatch(/^kown_[0-9a-f]{16}_[0-9a-f]{64}$/)
    const control = { path: '/v1/owner/control', bearer: issued.body.access_token as string }
    expect((await send(hub.url, control)).status).toBe(200)
    pass(5)
    expect((await poll()).body.error).toBe('invalid_grant')
  })

  test('is told no, or that its time is over, in the words of RFC 8628', async () => {
    const denied = await askForAgent(hub)
    await decide('deny', denied.user_code)
    expect((await denied.poll()).body.error).toBe('access_denied')
    const late = await askForAgent(hub)
    pass(DEVICE_TTL_SECONDS)
    expect((await late.poll()).body.error).toBe('expired_token')
    const page = await owner.get(`/device?user_code=${late.user_code}`)
    expect([page.status, page.text.includes('No program waits with this code')]).toEqual([404, true])
  })

  test('must wait five seconds longer each time it asks too soon', async () => {
    const { poll, user_code } = await askForAgent(hub)
    const asked: unknown[] = []
    for (const wait of [0, 4, 9, 14, 20, 20]) {
      pass(wait)
      asked.push((await poll()).body.error)
    }
    // Intervals: 5, then 10, 15 and 20 after each refusal.
    expect(asked).toEqual([
      'authorization_pending',
      'slow_down',
      'slow_down',
      'slow_down',
      'authorization_pending',
      'authorization_pending',
    ])
    await decide('approve', user_code)
    pass(20)
    expect((await poll()).body).toHaveProperty('access_token')
  })

  test('gets nothing with another client’s code, a made-up one, or another grant type', async () => {
    const { device_code, user_code } = await askForAgent(hub)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    // Not even that somebody waits with this code.
    const early = await oauth(hub, '/oauth/token', { grant_type, client_id: 'other', device_code })
    expect(early.body.error).toBe('invalid_grant')
    await decide('approve', user_code)
    const wrong: [Record<string, string>, string][] = [
      [{ grant_type, client_id: 'other', device_code }, 'invalid_grant'],
      [{ grant_type, client_id: 'test-agent', device_code: `kdev_${'0'.repeat(64)}` }, 'invalid_grant'],
      [{ grant_type, client_id: 'test-agent', device_code: 'x' }, 'invalid_request'],
      [{ grant_type, device_code }, 'invalid_request'],
      [{ grant_type: 'password', client_id: 'test-agent', device_code }, 'unsupported_grant_type'],
      [{ client_id: 'test-agent', device_code }, 'invalid_request'],
    ]
    for (const [fields, error] of wrong) {
      const { status, body } = await oauth(hub, '/oauth/token', fields)
      expect([status, body.error]).toEqual([400, error])
    }
    const twice = await send(hub.url, {
      method: 'POST',
      path: '/oauth/device_authorization',
      body: 'client_id=a&client_id=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([twice.status, JSON.parse(twice.text).error]).toEqual([400, 'invalid_request'])
    for (const client_id of ['', ' ', '<b>', 'a'.repeat(65)])
      expect((await oauth(hub, '/oauth/device_authorization', { client_id })).body.error).toBe(
        'invalid_request',
      )
  })

  test('is shown to the owner as text, whatever it calls itself', async () => {
    const fields = { client_id: 'sly', client_name: '<script>alert(1)</script>' }
    const { body } = await oauth(hub, '/oauth/device_authorization', fields)
    const page = await owner.get(`/device?user_code=${body.user_code}`)
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.text).not.toContain('<script>alert')
    const lines = { client_id: 'sly', client_name: 'a\u202eb' }
    expect((await oauth(hub, '/oauth/device_authorization', lines)).body.error).toBe('invalid_request')
  })

  test('cannot be approved without the owner’s session, nor by another agent', async () => {
    const { bearer } = await makeAgent(hub, owner)
    const { user_code, poll } = await askForAgent(hub)
    const path = `/v1/owner/devices/${user_code}/approve`
    const { admin, hub: token } = hub.credentials.bearers
    const tries = [{}, { bearer }, { bearer: admin }, { bearer: token }]
    const answers = []
    for (const who of tries)
      answers.push((await send(hub.url, { method: 'POST', path, body: '{}', ...who })).status)
    expect(answers).toEqual([401, 403, 403, 403])
    expect((await poll()).body.error).toBe('authorization_pending')
    const { status } = await sendAsOwner(hub, { method: 'POST', path, body: '{}' })
    expect(status).toBe(200)
  })

  test('asks for codes no faster than it may, and codes are guessed no faster either', async () => {
    const statuses = []
    for (let count = 0; count < 21; count++) statuses.push((await askEagerly()).status)
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429])
    const guesses = []
    for (let count = 0; count < 11; count++)
      guesses.push((await owner.get(`/device?user_code=BBBB-BBB${'BCDFGHJKLMN'[count]}`)).status)
    expect(guesses).toEqual([...Array<number>(10).fill(404), 429])
  })

  test('waits with at most 99 others; the next is sent away until one of them is over', async () => {
    await using crowded = await startTestHub({ clock })
    const ask = async () => {
      const { status, body } = await oauth(crowded, '/oauth/device_authorization', { client_id: 'one' })
      return `${status} ${body.error ?? 'waits'}`
    }
    const askOften = async (times: number) => {
      const answers: string[] = []
      for (let count = 0; count < times; count++) answers.push(await ask())
      return answers
    }
    // An address may ask twenty times a minute and a wish waits for five: so many come together only like this.
    const early = await ask()
    pass(59)
    const answers = [early, ...(await askOften(19))]
    for (const wait of [1, 60, 60, 60]) {
      pass(wait)
      answers.push(...(await askOften(20)))
    }
    expect(answers).toEqual(Array<string>(100).fill('200 waits'))
    pass(60)
    expect(await ask()).toBe('200 waits')
    const { result, records } = await recorded(crowded, ask)
    expect([result, records[0]?.code]).toEqual(['429 temporarily_unavailable', 'too_many_waiting'])
    pass(60)
    expect(await ask()).toBe('200 waits')
  })

  test('leaves only hashes of its codes and bearer in the store', async () => {
    const { bearer } = await makeAgent(hub, owner)
    const { device_code, user_code } = await askForAgent(hub)
    const stored = JSON.stringify([await hub.hub.db.all(allGrants), await hub.hub.db.all(allAgents)])
    for (const secret of [bearer, device_code, user_code, bearer.slice(22)])
      expect(stored).not.toContain(secret)
    expect(hub.logged.join('')).not.toContain(bearer)
  })
})

const introspect = (token: string, bearer?: string) => oauth(hub, '/oauth/introspect', { token }, bearer)
const askEagerly = () => oauth(hub, '/oauth/device_authorization', { client_id: 'eager' })

describe('the bearer', () => {
  test('is introspected by the owner, and by itself about itself alone', async () => {
    const one = await makeAgent(hub, owner)
    pass(61)
    const other = await makeAgent(hub, owner)
    const own = await introspect(one.bearer, one.bearer)
    const iat = Math.floor((clock.now as Date).getTime() / 1_000) - 61
    expect(own.body).toMatchObject({
      active: true,
      agent_id: one.agent_id,
      client_id: 'test-agent',
      sub: 'owner',
      iat,
    })
    expect((await introspect(other.bearer, one.bearer)).body).toEqual({ active: false })
    for (const nonsense of ['nonsense', 'x', 'x'.repeat(8_192)])
      expect((await introspect(nonsense, one.bearer)).body).toEqual({ active: false })
    for (const none of ['', 'x'.repeat(8_193)]) expect((await introspect(none, one.bearer)).status).toBe(400)
    expect((await introspect(one.bearer)).status).toBe(401)
    expect((await introspect(one.bearer, hub.credentials.bearers.admin)).status).toBe(403)
    expect((await introspect(one.bearer, hub.credentials.bearers.hub)).status).toBe(403)
  })

  test('is worth nothing from the next call on: revoked by the owner, given back, or expired', async () => {
    const isLive = async (bearer: string) =>
      (await send(hub.url, { path: '/v1/owner/control', bearer })).status === 200
    const [one, two, three] = [
      await makeAgent(hub, owner),
      await makeAgent(hub, owner),
      await makeAgent(hub, owner),
    ]
    expect(await Promise.all([one, two, three].map(({ bearer }) => isLive(bearer)))).toEqual([
      true,
      true,
      true,
    ])
    await owner.get('/owner/form-token')
    const { records } = await recorded(hub, () => revokeAgent(owner, one.agent_id))
    expect(records).toMatchObject([
      {
        operation: 'owner_agent_revoke',
        target_id: one.agent_id,
        caller_kind: 'owner_session',
        outcome: 'allowed',
      },
    ])
    expect((await oauth(hub, '/oauth/revoke', { token: two.bearer })).status).toBe(200)
    // Once more changes nothing and tells nothing.
    expect((await oauth(hub, '/oauth/revoke', { token: two.bearer })).status).toBe(200)
    expect(await Promise.all([one, two, three].map(({ bearer }) => isLive(bearer)))).toEqual([
      false,
      false,
      true,
    ])
    pass(90 * 86_400)
    expect(await isLive(three.bearer)).toBe(false)
    owner = (await signIn(hub)).visitor
    const list = JSON.parse((await owner.get('/v1/owner/agents')).text) as {
      data: { agent_id: string; state: string }[]
    }
    const states = new Map(list.data.map(({ agent_id, state }) => [agent_id, state]))
    expect([one, two, three].map(({ agent_id }) => states.get(agent_id))).toEqual([
      'revoked',
      'revoked',
      'expired',
    ])
  })
})

describe('user codes', () => {
  test('have no vowels, and are understood however they are typed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('', ' ', '-', ' - '), (_seed, gap) => {
        const code = makeUserCode(realSystem)
        expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
        expect(findUserCode(` ${code.toLowerCase().replace('-', gap)}`)).toBe(code)
      }),
    )
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (typed) => {
        const found = findUserCode(typed)
        expect(found === undefined || /^[B-Z]{4}-[B-Z]{4}$/.test(found)).toBe(true)
      }),
    )
    expect(findUserCode('AAAA-AAAA')).toBeUndefined()
  })
})
