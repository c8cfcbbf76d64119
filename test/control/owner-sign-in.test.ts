import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ARGON2ID } from '../../src/platform/identity/owner-password.ts'
import { ABSOLUTE_SECONDS, IDLE_SECONDS } from '../../src/platform/identity/owner-sessions.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { auditRecords, recorded } from '../rest/rest-hub.fixture.ts'
import { makeLink, ownerOrigin, PASSWORD, setUpOwner, signIn, visitorOf } from './owner-visitor.ts'

const everyText = sql<Record<string, string>>('SELECT * FROM owner_sessions')
const readAccount = sql<{ password_hash: string }>('SELECT password_hash FROM owner_account')
const readLinks = sql<Record<string, string>>('SELECT * FROM owner_links')

const seconds = (from: Date, count: number) => new Date(from.getTime() + count * 1_000)

describe('setting up', () => {
  let hub: TestHub
  const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
  beforeAll(async () => void (hub = await startTestHub({ clock })))
  afterAll(() => hub.close())

  test('a link is used up by what it was for, not by being opened', async () => {
    const visitor = visitorOf(hub)
    const { path, link } = await makeLink(hub)
    for (const _ of [1, 2]) expect((await visitor.get(path)).text).toContain('Set up your hub')
    const weak = await visitor.post('/owner/set-up', { link, password: 'short', password_again: 'short' })
    expect([weak.status, weak.text.includes('at least 12 characters')]).toEqual([400, true])
    const unlike = await visitor.post('/owner/set-up', { link, password: PASSWORD, password_again: 'other' })
    expect([unlike.status, unlike.text.includes('not the same')]).toEqual([400, true])
    const { result: done, records } = await recorded(hub, () =>
      visitor.post('/owner/set-up', { link, password: PASSWORD, password_again: PASSWORD }),
    )
    expect([done.status, done.headers.location]).toEqual([303, '/console'])
    expect(records).toMatchObject([
      { operation: 'owner_set_up', outcome: 'allowed', target_kind: 'owner_session' },
    ])
    const again = await visitorOf(hub).get(path)
    expect([again.status, again.text.includes('This link is over')]).toEqual([401, true])
  })

  test('the password is stored by argon2id with the named cost, the rest as hashes', async () => {
    const { memoryCost, timeCost, parallelism } = ARGON2ID
    const account = await hub.hub.db.get(readAccount)
    expect(account?.password_hash).toMatch(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
    const stored = JSON.stringify([await hub.hub.db.all(everyText), await hub.hub.db.all(readLinks)])
    expect(stored).not.toMatch(/klink_|kses_/)
  })

  test('a second set-up is refused, and the link then signs in', async () => {
    const visitor = visitorOf(hub)
    const { path, link } = await makeLink(hub)
    expect((await visitor.get(path)).text).toContain('Sign in as the owner')
    const other = 'another long password'
    const second = await visitor.post('/owner/set-up', { link, password: other, password_again: other })
    expect(second.status).toBe(409)
    expect((await visitor.post('/owner/link', { link })).headers.location).toBe('/console')
    expect((await visitor.post('/owner/link', { link })).status).toBeGreaterThanOrEqual(400)
  })

  test('a link ends after a quarter of an hour', async () => {
    const { path, link } = await makeLink(hub)
    const start = clock.now as Date
    const visitor = visitorOf(hub)
    await visitor.get(path)
    clock.now = seconds(start, 15 * 60)
    expect((await visitor.post('/owner/link', { link })).status).toBe(401)
    expect((await visitor.get(path)).status).toBe(401)
  })
})

describe('sessions', () => {
  let hub: TestHub
  const start = new Date('2026-11-02T10:00:00Z')
  const clock: Clock = { now: start }
  beforeAll(async () => {
    hub = await startTestHub({ clock })
    await setUpOwner(hub)
  })
  afterAll(() => hub.close())

  test('live in a cookie that scripts and other sites do not get', async () => {
    clock.now = seconds(start, 60)
    const { done } = await signIn(hub)
    const cookie = done.headers['set-cookie']?.at(-1) ?? ''
    expect(cookie).toMatch(
      /^knowtation_owner_\d+=kses_[0-9a-f]{16}_[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    )
  })

  test('count with their whole secret alone', async () => {
    clock.now = seconds(start, 90)
    const { visitor } = await signIn(hub)
    const [name, bearer] = [...visitor.cookies].find(([, value]) => value.startsWith('kses_')) ?? ['', '']
    const another = `${bearer.slice(0, -1)}${bearer.endsWith('0') ? 1 : 0}`
    for (const [value, status] of [
      [another, 401],
      [`${bearer.slice(0, 22)}${'0'.repeat(64)}`, 401],
      [bearer, 200],
    ] as const) {
      visitor.cookies.set(name, value)
      expect((await visitor.get('/v1/owner/sessions')).status).toBe(status)
    }
  })

  test('open what is the owner’s, and no MCP', async () => {
    clock.now = seconds(start, 120)
    const { visitor } = await signIn(hub)
    expect((await visitor.get('/v1/owner/sessions')).status).toBe(200)
    const who = await visitor.get('/api/v1/whoami')
    expect(JSON.parse(who.text)).toMatchObject({ caller_kind: 'owner_session', role: 'admin' })
    expect((await visitor.get('/api/v1/doctor')).status).toBe(200)
    const origin = ownerOrigin(hub)
    const mcp = await visitor.ask({ method: 'POST', path: '/mcp', body: '{', headers: { origin } })
    expect(mcp.status).toBe(403)
  })

  test('begin anew with each sign-in', async () => {
    clock.now = seconds(start, 180)
    const { visitor } = await signIn(hub)
    const former = new Map(visitor.cookies)
    await visitor.get('/owner/sign-in')
    expect((await visitor.post('/owner/sign-in', { password: PASSWORD })).status).toBe(303)
    expect(visitor.cookies).not.toEqual(former)
    const cookie = [...former].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await visitor.ask({ path: '/v1/owner/sessions', headers: { cookie } })).status).toBe(401)
  })

  test('end when they are not used, and in any case in the end', async () => {
    const began = seconds(start, 300)
    clock.now = began
    const [{ visitor: idle }, { visitor: busy }] = [await signIn(hub), await signIn(hub)]
    const isIn = async (visitor: typeof idle) => (await visitor.get('/v1/owner/sessions')).status === 200
    clock.now = seconds(began, IDLE_SECONDS)
    expect(await isIn(idle)).toBe(false)
    for (let at = 0; at < ABSOLUTE_SECONDS; at += IDLE_SECONDS - 60) {
      clock.now = seconds(began, at)
      expect(await isIn(busy)).toBe(true)
    }
    clock.now = seconds(began, ABSOLUTE_SECONDS)
    expect(await isIn(busy)).toBe(false)
  })

  test('are signed out one by one, or everywhere', async () => {
    clock.now = seconds(start, 400 + ABSOLUTE_SECONDS)
    const [one, two, three] = [await signIn(hub), await signIn(hub), await signIn(hub)].map(
      (it) => it.visitor,
    )
    if (!one || !two || !three) throw new Error('three were signed in')
    const states = () =>
      Promise.all([one, two, three].map(async (it) => (await it.get('/v1/owner/sessions')).status))
    await one.get('/owner/form-token')
    const former = new Map(one.cookies)
    expect((await one.post('/owner/sign-out', {})).headers.location).toBe('/owner/sign-in?told=out')
    expect((await one.get('/owner/sign-in?told=out')).text).toContain('You are signed out.')
    expect(await states()).toEqual([401, 200, 200])
    for (const [name, value] of former) one.cookies.set(name, value)
    expect(await states()).toEqual([401, 200, 200])
    await two.get('/owner/form-token')
    expect((await two.post('/owner/sign-out-everywhere', {})).status).toBe(303)
    expect(await states()).toEqual([401, 401, 401])
  })
})

describe('guessing', () => {
  let hub: TestHub
  const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
  beforeAll(async () => {
    hub = await startTestHub({ clock })
  })
  afterAll(() => hub.close())

  test('is answered alike whether or not there is an owner, recorded, and slowed down', async () => {
    const stranger = visitorOf(hub)
    await stranger.get((await makeLink(hub)).path)
    const nobody = await stranger.post('/owner/sign-in', { password: PASSWORD })
    await setUpOwner(hub)
    clock.now = seconds(clock.now as Date, 120)
    const visitor = visitorOf(hub)
    await visitor.get('/owner/sign-in')
    const before = (await auditRecords(hub)).length
    const statuses: number[] = []
    const began = performance.now()
    for (let guess = 0; guess < 12; guess++)
      statuses.push((await visitor.post('/owner/sign-in', { password: `guess number ${guess}` })).status)
    // Beyond ten a minute each guess waits, and longer each time.
    expect(statuses).toEqual(Array<number>(12).fill(401))
    expect(performance.now() - began).toBeGreaterThan(2_900)
    expect(nobody.status).toBe(401)
    // The right one waits, too, but opens: a stranger's guesses keep nobody out.
    expect((await visitor.post('/owner/sign-in', { password: PASSWORD })).status).toBe(303)
    const { path, link } = await makeLink(hub)
    const byLink = visitorOf(hub)
    await byLink.get(path)
    expect((await byLink.post('/owner/link', { link })).status).toBe(303)
    const records = (await auditRecords(hub))
      .slice(before)
      .filter(({ operation }) => operation === 'owner_password_sign_in')
    const sum = (code: string) =>
      records.filter((one) => one.code === code).reduce((total, one) => total + one.repeats, 0)
    expect(sum('invalid_credentials')).toBe(12)
    expect(JSON.stringify(records)).not.toContain('guess number')
  })
})

describe('the password', () => {
  test('is changed with the former one, or by who has just come in by a link; all others are signed out', async () => {
    const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
    await using hub = await startTestHub({ clock })
    await setUpOwner(hub)
    const [{ visitor }, { visitor: other }] = [await signIn(hub), await signIn(hub)]
    await visitor.get('/owner/form-token')
    const next = 'a wholly new password'
    expect((await visitor.post('/owner/password', { current: 'not it, is it', password: next })).status).toBe(
      401,
    )
    expect(
      (await visitor.post('/owner/password', { current: PASSWORD, password: 'aaaaaaaaaaaaaaa' })).status,
    ).toBe(400)
    expect((await visitor.post('/owner/password', { current: PASSWORD, password: next })).status).toBe(303)
    expect((await visitor.get('/v1/owner/sessions')).status).toBe(200)
    expect((await other.get('/v1/owner/sessions')).status).toBe(401)
    clock.now = seconds(clock.now as Date, 60)
    expect((await signIn(hub)).done.status).toBe(401)
    const forgetful = visitorOf(hub)
    const { path, link } = await makeLink(hub)
    await forgetful.get(path)
    await forgetful.post('/owner/link', { link })
    await forgetful.get('/owner/form-token')
    expect((await forgetful.post('/owner/password', { password: PASSWORD })).status).toBe(303)
    expect((await signIn(hub)).done.status).toBe(303)
  })

  test('needs the former one a quarter of an hour after a link, and not a moment before', async () => {
    const start = new Date('2026-11-02T10:00:00Z')
    const clock: Clock = { now: start }
    await using hub = await startTestHub({ clock })
    const owner = await setUpOwner(hub)
    const change = async (ms: number) => {
      clock.now = new Date(start.getTime() + ms)
      return (await owner.post('/owner/password', { password: 'a wholly new password' })).status
    }
    expect(await change(15 * 60_000)).toBe(401)
    expect(await change(15 * 60_000 - 1)).toBe(303)
  })
})

describe('led here by another site, which keeps the cookies back once', () => {
  let hub: TestHub
  beforeAll(async () => void (hub = await startTestHub()))
  afterAll(() => hub.close())

  /** The page comes without the session's cookie, the form goes out with it. */
  async function ledTo(path: string, then: string, fields: Record<string, string>, forged = '') {
    const visitor = await setUpOrSignIn()
    const kept = [...visitor.cookies]
    visitor.cookies.clear()
    await visitor.get(path)
    for (const [name, value] of kept) if (!visitor.cookies.has(name)) visitor.cookies.set(name, value)
    if (forged) visitor.form_token = forged
    return visitor.post(then, fields)
  }
  let isSetUp = false
  const setUpOrSignIn = async () => {
    if (isSetUp) return (await signIn(hub)).visitor
    isSetUp = true
    return setUpOwner(hub)
  }

  test('who is signed in signs in anew by a link or the password', async () => {
    await setUpOrSignIn()
    const { path, link } = await makeLink(hub)
    expect((await ledTo(path, '/owner/link', { link })).status).toBe(303)
    const typed = await ledTo('/owner/sign-in', '/owner/sign-in', { password: PASSWORD })
    expect(typed.status).toBe(303)
  })

  test('a page of a visit opens nothing else of the session, and no made-up token anything', async () => {
    const out = await ledTo('/owner/sign-in', '/owner/sign-out', {})
    expect([out.status, out.text.includes('out of date')]).toEqual([403, true])
    const { path, link } = await makeLink(hub)
    expect((await ledTo(path, '/owner/link', { link }, '0'.repeat(64))).status).toBe(403)
  })
})
