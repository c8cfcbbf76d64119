import { describe, expect, test } from 'vitest'
import { findPasskey, listPasskeys } from '../../src/platform/identity/owner-passkeys.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { codeOf, recorded } from '../rest/rest-hub.fixture.ts'
import { type Authenticator, authenticatorAt } from './authenticator.ts'
import {
  askForAgent,
  makeLink,
  oauth,
  ownerOrigin,
  setUpOwner,
  signIn,
  type Visitor,
  visitorOf,
} from './owner-visitor.ts'

/** What the page's own script sends, and what it would send from elsewhere. */
async function post(visitor: Visitor, path: string, fields: object, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ form_token: visitor.form_token, ...fields })
  return visitor.ask({
    method: 'POST',
    path,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

const originOf = ownerOrigin
const challengeIn = ({ text }: { text: string }) =>
  (JSON.parse(text) as { options: { challenge: string } }).options.challenge

async function addPasskey(hub: TestHub, owner: Visitor, device: Authenticator) {
  const headers = { origin: originOf(hub) }
  const asked = await post(owner, '/owner/passkey/register-challenge', {}, headers)
  const fields = { label: 'Still', credential: device.register(challengeIn(asked)) }
  const add = () => post(owner, '/owner/passkey/register', fields, headers)
  return { added: await add(), add }
}

describe.each(DATABASES)('on %s', (database) => {
  test('a proof of a passkey that always counts 0 signs in once, then and at any later time', async () => {
    await using hub = await startTestHub({ database })
    const headers = { origin: originOf(hub) }
    const owner = await setUpOwner(hub)
    const device = authenticatorAt(originOf(hub))
    expect((await addPasskey(hub, owner, device)).added.status).toBe(201)
    const proofFor = async () => {
      const visitor = visitorOf(hub)
      await visitor.get('/owner/sign-in')
      const challenge = challengeIn(await post(visitor, '/owner/passkey/challenge', {}, headers))
      const credential = device.prove(challenge, 0)
      return { visitor, credential }
    }
    const enter = async (visitor: Visitor, credential: { id: string }) => {
      const answer = await post(visitor, '/owner/passkey/sign-in', { credential }, headers)
      return answer.status === 200 ? 'in' : codeOf(answer)
    }
    const [first, second] = [await proofFor(), await proofFor()]
    expect(await enter(first.visitor, first.credential)).toBe('in')
    const thief = visitorOf(hub)
    await thief.get('/owner/sign-in')
    expect(await enter(thief, first.credential)).toBe('invalid_credentials')
    // Its counter stands still, so nothing but the challenge tells the two apart.
    expect(await enter(second.visitor, second.credential)).toBe('in')
    const again = await Promise.all([1, 2].map(() => enter(thief, second.credential)))
    expect([again, await enter(thief, first.credential)]).toEqual([
      ['invalid_credentials', 'invalid_credentials'],
      'invalid_credentials',
    ])
    expect(await findPasskey(hub.hub.db, first.credential.id)).toMatchObject({ counter: 0 })
  })

  test('one proof that counts 0, sent by several at once, signs one in', async () => {
    await using hub = await startTestHub({ database })
    const headers = { origin: originOf(hub) }
    const owner = await setUpOwner(hub)
    const device = authenticatorAt(originOf(hub))
    await addPasskey(hub, owner, device)
    const visitors = [visitorOf(hub), visitorOf(hub), visitorOf(hub)]
    for (const visitor of visitors) await visitor.get('/owner/sign-in')
    const [one] = visitors as [Visitor]
    const challenge = challengeIn(await post(one, '/owner/passkey/challenge', {}, headers))
    const credential = device.prove(challenge, 0)
    const answers = await Promise.all(
      visitors.map((visitor) => post(visitor, '/owner/passkey/sign-in', { credential }, headers)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  })

  test('a registration counts once, and none after its passkey was taken away', async () => {
    await using hub = await startTestHub({ database })
    const owner = await setUpOwner(hub)
    const { added, add } = await addPasskey(hub, owner, authenticatorAt(originOf(hub)))
    expect([added.status, codeOf(await add())]).toEqual([201, 'invalid_credentials'])
    const { passkey_id } = JSON.parse(added.text) as { passkey_id: string }
    await owner.get('/owner/form-token')
    expect((await owner.post('/owner/passkey/remove', { passkey_id })).status).toBe(303)
    expect(codeOf(await add())).toBe('invalid_credentials')
    expect(await listPasskeys(hub.hub.db)).toEqual([])
  })

  test('a challenge given out for one thing does not serve for the other', async () => {
    await using hub = await startTestHub({ database })
    const headers = { origin: originOf(hub) }
    const owner = await setUpOwner(hub)
    const device = authenticatorAt(originOf(hub))
    await addPasskey(hub, owner, device)
    const register = challengeIn(await post(owner, '/owner/passkey/register-challenge', {}, headers))
    const entering = challengeIn(await post(owner, '/owner/passkey/challenge', {}, headers))
    const entered = await post(
      owner,
      '/owner/passkey/sign-in',
      { credential: device.prove(register, 0) },
      headers,
    )
    const credential = authenticatorAt(originOf(hub)).register(entering)
    const added = await post(owner, '/owner/passkey/register', { label: 'Other', credential }, headers)
    expect([codeOf(entered), codeOf(added)]).toEqual(['invalid_credentials', 'invalid_credentials'])
  })

  test('a device code gives one bearer, however it is asked for', async () => {
    await using hub = await startTestHub({ database })
    const owner = await setUpOwner(hub)
    const { user_code, poll } = await askForAgent(hub)
    await owner.get(`/device?user_code=${user_code}`)
    expect((await owner.post('/device/approve', { user_code })).status).toBe(200)
    const answers = await Promise.all([poll(), poll(), poll()])
    expect(answers.filter(({ body }) => body.access_token !== undefined)).toHaveLength(1)
    expect((await poll()).body.access_token).toBeUndefined()
    // The code that was read out is used up as well.
    const again = await owner.post('/device/approve', { user_code })
    expect(again.status).toBeGreaterThanOrEqual(400)
  })
})

describe('a valid form token', () => {
  const FOREIGN = ['https://evil.example', 'null', 'http://localhost:1', 'http://localhost.evil.example']

  test('opens nothing from a foreign origin, signed in or not', async () => {
    await using hub = await startTestHub()
    const owner = await setUpOwner(hub)
    const visitor = visitorOf(hub)
    await visitor.get('/owner/sign-in')
    const { user_code } = await askForAgent(hub)
    await owner.get(`/device?user_code=${user_code}`)
    const { link } = await makeLink(hub)
    const tries: [Visitor, string, Record<string, string>][] = [
      [owner, '/device/approve', { user_code }],
      [owner, '/device/deny', { user_code }],
      [owner, '/owner/sign-out', {}],
      [visitor, '/owner/sign-in', { password: 'correct horse battery staple' }],
      [visitor, '/owner/link', { link }],
    ]
    for (const origin of FOREIGN) {
      for (const [who, path, fields] of tries) {
        const before = [...who.cookies]
        const { result, records } = await recorded(hub, () => who.post(path, fields, { origin }))
        const isRefused = result.status >= 400 || result.headers.location?.startsWith('/owner/sign-in')
        expect([origin, path, isRefused]).toEqual([origin, path, true])
        expect([origin, path, records.some(({ outcome }) => outcome === 'allowed')]).toEqual([
          origin,
          path,
          false,
        ])
        expect([...who.cookies]).toEqual(before)
      }
      for (const path of ['/owner/passkey/challenge', '/owner/passkey/register-challenge'])
        expect([origin, (await post(owner, path, {}, { origin })).status]).toEqual([origin, 403])
    }
    // A browser that names no origin still says that the page is of another site.
    for (const site of ['cross-site', 'same-site']) {
      const { status } = await visitor.post('/owner/link', { link }, { 'sec-fetch-site': site })
      expect([site, status]).toEqual([site, 403])
    }
    // The tokens were valid: from the page itself they count.
    expect((await owner.post('/device/approve', { user_code })).status).toBe(200)
    expect((await visitor.post('/owner/link', { link })).status).toBe(303)
  })

  test('of another session, or of before the sign-in, opens nothing', async () => {
    await using hub = await startTestHub()
    const owner = await setUpOwner(hub)
    const other = (await signIn(hub)).visitor
    await other.get('/owner/form-token')
    const early = visitorOf(hub)
    await early.get('/owner/sign-in')
    for (const form_token of [other.form_token, early.form_token]) {
      const { status } = await owner.post('/owner/sign-out-everywhere', { form_token })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    expect((await owner.get('/v1/owner/sessions')).status).toBe(200)
  })
})

test('the same password in another normal form signs in, and another password does not', async () => {
  await using hub = await startTestHub()
  const password = 'Pâté für Zoë, ½ Ångström'
  const visitor = visitorOf(hub)
  const { path, link } = await makeLink(hub)
  await visitor.get(path)
  const decomposed = password.normalize('NFD')
  const done = await visitor.post('/owner/set-up', { link, password: decomposed, password_again: decomposed })
  expect(done.status).toBe(303)
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
    expect([form, (await signIn(hub, password.normalize(form))).done.status]).toEqual([form, 303])
  expect((await signIn(hub, password.replace('â', 'a'))).done.status).toBe(401)
})

test('a name that every object brings along is no known client, grant or field', async () => {
  await using hub = await startTestHub()
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    const asked = await oauth(hub, '/oauth/token', { grant_type: name, client_id: name, device_code: name })
    expect([name, asked.status]).toEqual([name, 400])
    const extra = await oauth(hub, '/oauth/device_authorization', { client_id: 'sound', [name]: 'x' })
    expect([name, extra.status < 500]).toEqual([name, true])
    const owner = visitorOf(hub)
    await owner.get('/owner/sign-in')
    const { status } = await owner.post('/owner/sign-in', { [name]: 'x', password: name })
    expect([name, status >= 400 && status < 500]).toEqual([name, true])
  }
})
