import { expect, test } from 'vitest'
import {
  createChallenge,
  createPasskey,
  findPasskey,
  PASSKEY_LIMIT,
} from '../../src/platform/identity/owner-passkeys.ts'
import { type Clock, DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { codeOf, recorded } from '../rest/rest-hub.fixture.ts'
import { type Authenticator, authenticatorAt } from './authenticator.ts'
import { ownerOrigin, PASSWORD, setUpOwner, signIn, type Visitor, visitorOf } from './owner-visitor.ts'

const start = new Date('2026-11-02T10:00:00Z')

/** A passkey as it lies in the store, of an authenticator that nobody has. */
async function addPasskey({ hub }: TestHub, at: number): Promise<string> {
  const made = {
    credential_id: `credential-${at}`,
    public_key: 'AAAA',
    counter: 0,
    transports: '[]',
    origin: null,
  }
  const label = `Key ${at}`
  const passkey = await hub.db.transaction((tx) => createPasskey(tx, hub.system, { ...made, label }))
  return passkey.passkey_id
}

const originOf = ownerOrigin

/** What the owner's script sends. */
async function post(owner: Visitor, hub: TestHub, path: string, fields: object = {}) {
  const origin = originOf(hub)
  const body = JSON.stringify({ form_token: owner.form_token, ...fields })
  const headers = { origin, 'content-type': 'application/json' }
  return owner.ask({ method: 'POST', path, body, headers })
}

async function challengeFor(visitor: Visitor, hub: TestHub, path: string): Promise<string> {
  const { text } = await post(visitor, hub, `/owner/passkey/${path}`)
  return (JSON.parse(text) as { options: { challenge: string } }).options.challenge
}

/** Makes a passkey in a device of the owner's, and asks the hub to add it. */
async function addReal(owner: Visitor, hub: TestHub, device: Authenticator, meanwhile = async () => {}) {
  const credential = device.register(await challengeFor(owner, hub, 'register-challenge'))
  await meanwhile()
  return post(owner, hub, '/owner/passkey/register', { label: 'Real', credential })
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
  await visitor.get('/owner/form-token')
  expect((await post(visitor, hub, '/owner/passkey/register-challenge')).status).toBe(201)
  // The password, given in place, does as well, and counts for the step after it.
  await owner.get('/owner/form-token')
  const asked = (current: string) => post(owner, hub, '/owner/passkey/register-challenge', { current })
  expect(codeOf(await asked('not it'))).toBe('invalid_credentials')
  expect((await asked(PASSWORD)).status).toBe(201)
  expect(await register()).toBe('invalid_credentials')
  after(31 * 60_000)
  expect(await challenge()).toBe('sign_in_again')
  const again = await addPasskey(hub, 2)
  await owner.get('/owner/form-token')
  const gone = (current: string) => owner.post('/owner/passkey/remove', { passkey_id: again, current })
  expect([(await gone('')).status, (await gone('not it')).status, (await gone(PASSWORD)).status]).toEqual([
    403, 401, 303,
  ])
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

test('who was given a challenge in time is refused all the same when the last place is gone', async () => {
  await using hub = await startTestHub()
  const owner = await setUpOwner(hub)
  for (let at = 1; at < PASSKEY_LIMIT; at++) await addPasskey(hub, at)
  const device = authenticatorAt(originOf(hub))
  const taken = await addReal(owner, hub, device, async () => void (await addPasskey(hub, PASSKEY_LIMIT)))
  expect([taken.status, codeOf(taken)]).toEqual([409, 'too_many_passkeys'])
})

test('a passkey is added once', async () => {
  await using hub = await startTestHub()
  const owner = await setUpOwner(hub)
  const device = authenticatorAt(originOf(hub))
  expect((await addReal(owner, hub, device)).status).toBe(201)
  const again = await addReal(owner, hub, device)
  expect([again.status, codeOf(again)]).toEqual([401, 'invalid_credentials'])
})

test('a thousand challenges are open at once, and more only when some have lapsed', async () => {
  const clock: Clock = { now: start }
  await using hub = await startTestHub({ clock })
  await setUpOwner(hub)
  const { db, system } = hub.hub
  await db.transaction(async (tx) => {
    for (let open = 0; open < 999; open++) await createChallenge(tx, system, 'sign_in')
  })
  const visitor = visitorOf(hub)
  await visitor.get('/owner/sign-in')
  const ask = async () => {
    const answer = await post(visitor, hub, '/owner/passkey/challenge')
    return answer.status === 201 ? 'given' : codeOf(answer)
  }
  expect([await ask(), await ask()]).toEqual(['given', 'too_many_waiting'])
  clock.now = new Date(start.getTime() + 300_000 - 1)
  expect(await ask()).toBe('too_many_waiting')
  clock.now = new Date(start.getTime() + 300_000)
  expect(await ask()).toBe('given')
})

test.each(DATABASES)('of several proofs with one counter, one signs in (%s)', async (database) => {
  await using hub = await startTestHub({ database })
  const owner = await setUpOwner(hub)
  const device = authenticatorAt(originOf(hub))
  expect((await addReal(owner, hub, device)).status).toBe(201)
  const visitors = [visitorOf(hub), visitorOf(hub), visitorOf(hub)]
  const proofs: object[] = []
  for (const visitor of visitors) {
    await visitor.get('/owner/sign-in')
    proofs.push(device.prove(await challengeFor(visitor, hub, 'challenge'), 1))
  }
  const answers = await Promise.all(
    visitors.map((visitor, at) => post(visitor, hub, '/owner/passkey/sign-in', { credential: proofs[at] })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  const [id] = proofs.map((proof) => (proof as { id: string }).id)
  expect(await findPasskey(hub.hub.db, id as string)).toMatchObject({ counter: 1 })
})

test('a passkey counts on the page that it was made on, whatever a request says of its address', async () => {
  await using hub = await startTestHub()
  const owner = await setUpOwner(hub)
  const device = authenticatorAt(originOf(hub))
  expect((await addReal(owner, hub, device)).status).toBe(201)
  // Another server of this machine has a page under the same name, and hands on what the device signs there.
  const name = hub.hub.ownerName as string
  for (const host of [`${name}:9`, name]) {
    const visitor = visitorOf(hub, host)
    await visitor.get('/owner/sign-in')
    const headers = { origin: `http://${host}`, 'content-type': 'application/json' }
    const ask = (path: string, fields: object) =>
      visitor.ask({
        method: 'POST',
        path,
        headers,
        body: JSON.stringify({ form_token: visitor.form_token, ...fields }),
      })
    const { text } = await ask('/owner/passkey/challenge', {})
    const { challenge } = (JSON.parse(text) as { options: { challenge: string } }).options
    const credential = device.prove(challenge, 1, `http://${host}`)
    expect([host, codeOf(await ask('/owner/passkey/sign-in', { credential }))]).toEqual([
      host,
      'invalid_credentials',
    ])
  }
  const visitor = visitorOf(hub)
  await visitor.get('/owner/sign-in')
  const credential = device.prove(await challengeFor(visitor, hub, 'challenge'), 1)
  expect((await post(visitor, hub, '/owner/passkey/sign-in', { credential })).status).toBe(200)
})
