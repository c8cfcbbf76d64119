import { expect, test } from 'vitest'
import { createPasskey, PASSKEY_LIMIT } from '../../src/platform/identity/owner-passkeys.ts'
import { type Clock, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { codeOf, recorded } from '../rest/rest-hub.fixture.ts'
import { setUpOwner, signIn, type Visitor } from './owner-visitor.ts'

const start = new Date('2026-11-02T10:00:00Z')

/** A passkey as it lies in the store, of an authenticator that nobody has. */
async function addPasskey({ hub }: TestHub, at: number): Promise<string> {
  const made = { credential_id: `credential-${at}`, public_key: 'AAAA', counter: 0, transports: '[]' }
  const label = `Key ${at}`
  const passkey = await hub.db.transaction((tx) => createPasskey(tx, hub.system, { ...made, label }))
  return passkey.passkey_id
}

/** What the owner's script sends. */
async function post(owner: Visitor, hub: TestHub, path: string, fields: object = {}) {
  const origin = `http://localhost:${new URL(hub.url).port}`
  const body = JSON.stringify({ form_token: owner.form_token, ...fields })
  const headers = { origin, 'content-type': 'application/json' }
  return owner.ask({ method: 'POST', path, body, headers })
}

test('passkeys are added and removed only within a quarter of an hour of signing in', async () => {
  const clock: Clock = { now: start }
  await using hub = await startTestHub({ clock })
  const owner = await setUpOwner(hub)
  const passkey_id = await addPasskey(hub, 1)
  const after = (ms: number) => void (clock.now = new Date(start.getTime() + ms))
  const challenge = async () => {
    const answer = await post(owner, hub, '/owner/passkey/register-challenge')
    return answer.status === 201 ? 'given' : codeOf(answer)
  }
  const credential = { id: 'x', response: { clientDataJSON: 'e30' } }
  const register = async () =>
    codeOf(await post(owner, hub, '/owner/passkey/register', { label: 'New', credential }))
  const remove = () => recorded(hub, () => owner.post('/owner/passkey/remove', { passkey_id }))
  after(15 * 60_000)
  expect([await challenge(), await register()]).toEqual(['sign_in_again', 'sign_in_again'])
  expect((await remove()).records).toMatchObject([{ outcome: 'denied', code: 'sign_in_again' }])
  after(15 * 60_000 - 1)
  expect([await challenge(), await register()]).toEqual(['given', 'invalid_credentials'])
  expect((await remove()).records).toMatchObject([{ outcome: 'allowed' }])
  // Being used does not make a session new; signing in again does.
  after(15 * 60_000)
  expect(await challenge()).toBe('sign_in_again')
  const { visitor } = await signIn(hub)
  await visitor.get('/owner')
  expect((await post(visitor, hub, '/owner/passkey/register-challenge')).status).toBe(201)
})

test('there are at most so many passkeys', async () => {
  await using hub = await startTestHub()
  const owner = await setUpOwner(hub)
  for (let at = 1; at < PASSKEY_LIMIT; at++) await addPasskey(hub, at)
  expect((await post(owner, hub, '/owner/passkey/register-challenge')).status).toBe(201)
  await addPasskey(hub, PASSKEY_LIMIT)
  const full = await post(owner, hub, '/owner/passkey/register-challenge')
  expect([full.status, codeOf(full)]).toEqual([409, 'too_many_passkeys'])
})
