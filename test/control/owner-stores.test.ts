import { describe, expect, test } from 'vitest'
import {
  createChallenge,
  createPasskey,
  findPasskey,
  listPasskeys,
  notePasskeyUse,
  removePasskey,
  useOpenChallenge,
} from '../../src/platform/identity/owner-passkeys.ts'
import { type Clock, DATABASES, startTestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { makeAgent, makeLink, revokeAgent, setUpOwner, signIn, visitorOf } from './owner-visitor.ts'

describe.each(DATABASES)('on %s', (database) => {
  test('the owner sets up, signs in, lets an agent in, revokes it and signs out everywhere', async () => {
    await using hub = await startTestHub({ database })
    const owner = await setUpOwner(hub)
    const { visitor, done } = await signIn(hub)
    expect(done.status).toBe(303)
    const { bearer, agent_id } = await makeAgent(hub, owner)
    const control = { path: '/v1/owner/control', bearer }
    expect((await send(hub.url, control)).status).toBe(200)
    await owner.get('/owner/form-token')
    expect((await revokeAgent(owner, agent_id)).status).toBe(200)
    expect((await send(hub.url, control)).status).toBe(401)
    await owner.get('/owner/form-token')
    expect((await owner.post('/owner/sign-out-everywhere', {})).status).toBe(303)
    expect((await visitor.get('/v1/owner/sessions')).status).toBe(401)
  })

  test('passkeys and their challenges are kept, used once and taken away', async () => {
    const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
    await using hub = await startTestHub({ database, clock })
    const { db, system } = hub.hub
    const wanted = {
      credential_id: 'cred',
      public_key: 'pk',
      counter: 7,
      transports: '[]',
      label: 'Key',
      origin: null,
    }
    const made = await db.transaction((tx) => createPasskey(tx, system, wanted))
    const found = await findPasskey(db, 'cred')
    expect(found).toEqual({ ...made, last_used_at: null })
    if (!found) throw new Error('it was just made')
    const use = () => db.transaction((tx) => notePasskeyUse(tx, found, 8, system.now()))
    // Two sign-ins at once with one answer: the counter moves for one of them.
    expect([await use(), await use()]).toEqual([true, false])
    const open = () => db.transaction((tx) => createChallenge(tx, system, 'sign_in'))
    const spend = (challenge: string, purpose: 'sign_in' | 'register') =>
      db.transaction((tx) => useOpenChallenge(tx, challenge, purpose, system.now()))
    const [one, two] = [(await open()) as string, (await open()) as string]
    expect([await spend(one, 'register'), await spend(one, 'sign_in'), await spend(one, 'sign_in')]).toEqual([
      false,
      true,
      false,
    ])
    clock.now = new Date('2026-11-02T10:05:00Z')
    expect(await spend(two, 'sign_in')).toBe(false)
    expect(await db.transaction((tx) => removePasskey(tx, made.passkey_id))).toBe(true)
    expect(await listPasskeys(db)).toEqual([])
  })

  test('one link opened by two at once lets one in', async () => {
    await using hub = await startTestHub({ database })
    await setUpOwner(hub)
    const { path, link } = await makeLink(hub)
    const visitors = [visitorOf(hub), visitorOf(hub), visitorOf(hub)]
    for (const visitor of visitors) await visitor.get(path)
    const entered = await Promise.all(visitors.map((visitor) => visitor.post('/owner/link', { link })))
    expect(entered.filter(({ status }) => status === 303)).toHaveLength(1)
  })
})
