import { describe, expect, test } from 'vitest'
import { slowDownGuesses } from '../../src/domains/control/owner/sign-in-attempts.ts'
import type { Refusal } from '../../src/operations/errors.ts'
import { countAttempt } from '../../src/platform/identity/attempts.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { type Clock, DATABASES, startTestHub } from '../harness/test-hub.ts'
import { recorded, startRestHub } from '../rest/rest-hub.fixture.ts'
import { makeLink, oauth, PASSWORD, setUpOwner, signIn, visitorOf } from './owner-visitor.ts'

const moment = (time: string) => new Date(`2026-11-02T${time}Z`)
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

describe.each(DATABASES)('tries at what could be guessed (%s)', (database) => {
  test('count alike at every hub of a home', async () => {
    const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
    await using hub = await startTestHub({ database, clock })
    const other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
    const statuses: number[] = []
    try {
      for (let at = 0; at < 24; at++) {
        const { url } = at % 2 === 0 ? hub : other
        const { status } = await oauth({ url }, '/oauth/device_authorization', { client_id: 'a' })
        statuses.push(status)
      }
      expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(4).fill(429)])
      clock.now = new Date('2026-11-02T10:01:00Z')
      expect((await oauth(other, '/oauth/device_authorization', { client_id: 'a' })).status).toBe(200)
    } finally {
      await other.stop()
    }
  })

  test('count one by one when they come at once, and begin anew after a clock that was wrong', async () => {
    await using hub = await startTestHub({ database })
    const { db } = hub.hub
    const many = await Promise.all(
      Array.from({ length: 15 }, () => countAttempt(db, 'sign_in', '::1', moment('10:00:00'))),
    )
    expect(many.map(({ over }) => over).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(10).fill(0),
      1,
      2,
      3,
      4,
      5,
    ])
    expect((await countAttempt(db, 'sign_in', '127.0.0.1', moment('10:00:59'))).over).toBe(6)
    expect((await countAttempt(db, 'sign_in', '192.0.2.1', moment('10:00:59'))).over).toBe(0)
    expect((await countAttempt(db, 'sign_in', '::1', moment('10:01:00'))).over).toBe(0)
    await countAttempt(db, 'user_code', '::1', moment('23:00:00'))
    for (let tries = 0; tries < 10; tries++)
      expect((await countAttempt(db, 'user_code', '::1', moment('11:00:00'))).over).toBe(0)
  })

  test('are counted on where one was counted that came a moment later', async () => {
    await using hub = await startTestHub({ database })
    const tries: number[] = []
    for (const time of ['10:00:00.500', '10:00:00', '10:00:00.499', ...Array<string>(9).fill('10:00:00.400')])
      tries.push((await countAttempt(hub.hub.db, 'sign_in', '::1', moment(time))).over)
    expect(tries).toEqual([...Array<number>(10).fill(0), 1, 2])
  })

  test('at bearers of device codes are counted where there is no such code', async () => {
    await using hub = await startTestHub({ database, clock: { now: new Date('2026-11-02T10:00:00Z') } })
    const guess = { grant_type: DEVICE_GRANT, client_id: 'a', device_code: `kdev_${'0'.repeat(64)}` }
    const codes: unknown[] = []
    for (let at = 0; at < 22; at++) codes.push((await oauth(hub, '/oauth/token', guess)).body.error)
    expect(codes.slice(0, 20)).toEqual(Array(20).fill('invalid_grant'))
    expect(codes.slice(20)).toEqual(['temporarily_unavailable', 'temporarily_unavailable'])
  })
})

test('a stranger who guesses under another name slows nobody down at the owner’s own', async () => {
  await using hub = await startRestHub()
  await setUpOwner(hub)
  const host = `localhost:${new URL(hub.url).port}`
  const stranger = visitorOf(hub, host)
  await stranger.get('/owner/sign-in')
  const guess = () => stranger.post('/owner/sign-in', { password: 'wrong' }, { origin: `http://${host}` })
  expect((await Promise.all(Array.from({ length: 10 }, guess))).map(({ status }) => status)).toEqual(
    Array(10).fill(401),
  )
  const slow = guess()
  expect((await signIn(hub, PASSWORD)).done.status).toBe(303)
  expect((await slow).status).toBe(401)
})

test('a line full of guesses under another name turns nobody away at the owner’s own', async () => {
  await using hub = await startRestHub()
  const wait = (host: string | undefined) =>
    slowDownGuesses({ hub: hub.hub, address: '127.0.0.1', origin: `http://${host}` })
  const { ownerName } = hub.hub
  for (const host of [ownerName, 'localhost']) for (let tries = 0; tries < 10; tries++) await wait(host)
  const crowd = Array.from({ length: 20 }, () => wait('localhost').catch(({ code }: Refusal) => code))
  expect(await Promise.race(crowd)).toBe('RATE_LIMITED')
  await expect(wait(ownerName)).resolves.toBeUndefined()
})

test('setting up is answered after the checks of every form, and recorded', async () => {
  await using hub = await startRestHub()
  const { path, link } = await makeLink(hub)
  const visitor = visitorOf(hub)
  await visitor.get(path)
  const unlike = { link, password: PASSWORD, password_again: 'something else' }
  const tries: [Record<string, string>, Record<string, string>, string][] = [
    [{}, { origin: 'https://evil.example' }, 'permission_error'],
    [{ form_token: 'x' }, {}, 'permission_error'],
    [{}, {}, 'weak_password'],
  ]
  for (const [fields, headers, code] of tries) {
    const { records } = await recorded(hub, () =>
      visitor.post('/owner/set-up', { ...unlike, ...fields }, headers),
    )
    expect(records).toMatchObject([{ operation: 'owner_set_up', outcome: 'denied', code }])
  }
})
