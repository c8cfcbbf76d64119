import { expect, onTestFinished, test } from 'vitest'
import { DATABASES, makeTestHome } from '../../../test/harness/test-hub.ts'
import { realSystem } from '../basics/system.ts'
import { type Database, sql } from '../storage/database.ts'
import { openDatabase } from '../storage/open-database.ts'
import { createOwnerAgent, findLiveOwnerAgent } from './owner-agents.ts'
import {
  createDeviceGrant,
  DEVICE_TTL_SECONDS,
  findDeviceGrant,
  pollDeviceGrant,
} from './owner-device-grants.ts'
import { createLink, isLiveLink } from './owner-links.ts'
import { findLiveOwnerSession, IDLE_SECONDS, openOwnerSession } from './owner-sessions.ts'
import { createSession, findLiveSession } from './seat-store.ts'
import { createToken, findLiveToken, findToken, listTokens } from './token-store.ts'

const BEGUN = new Date('2026-11-02T10:00:00.000Z')
const later = (seconds: number) => new Date(BEGUN.getTime() + seconds * 1_000)
const system = { ...realSystem, now: () => BEGUN }
const expires_at = later(600).toISOString()
const DAY_SECONDS = 86_400

async function open(database: (typeof DATABASES)[number]): Promise<Database> {
  const made = await makeTestHome({ database })
  const db = await openDatabase(made.home, made.options.env, BEGUN)
  onTestFinished(async () => {
    await db.close()
    await made[Symbol.asyncDispose]()
  })
  return db
}

type Find = (db: Database, now: Date) => Promise<unknown>

/** Makes one credential of each kind; answers how each is looked up, and from when on it counts no more. */
async function makeAll(db: Database): Promise<{ what: string; find: Find; after: number }[]> {
  const token = await db.transaction((tx) =>
    createToken(tx, system, {
      vault_id: 'default',
      role: 'viewer',
      label: null,
      created_by: 'test',
      expires_at,
    }),
  )
  const wanted = {
    vault_id: 'default',
    role: 'dev',
    project_root: '/p',
    service_root: '.',
    isolation_level: null,
    allowed_commands: null,
    created_by: 'test',
    expires_at,
  }
  const seat = await db.transaction((tx) => createSession(tx, system, wanted))
  const approved = { client_id: 'a', client_name: 'A', approved_by: 'test' }
  const agent = await db.transaction((tx) => createOwnerAgent(tx, system, approved))
  const session = await db.transaction((tx) =>
    openOwnerSession(tx, system, { method: 'password', client: 'test' }),
  )
  const link = await db.transaction((tx) => createLink(tx, system, 'test'))
  const ask = () =>
    db.transaction((tx) => createDeviceGrant(tx, system, { client_id: 'a', client_name: 'A' }))
  const [device, typed] = [await ask(), await ask()]
  const poll: Find = async (on, now) => {
    const code = device?.device_code as string
    const verdict = await on.transaction((tx) => pollDeviceGrant(tx, code, 'a', now))
    return verdict === 'expired_token' ? undefined : verdict
  }
  const isLive: Find = async (on, now) => (await isLiveLink(on, link.secret, now)) || undefined
  return [
    { what: 'sign-in link', find: isLive, after: 900 },
    { what: 'device code', find: poll, after: DEVICE_TTL_SECONDS },
    {
      what: 'user code',
      find: (on, now) => findDeviceGrant(on, typed?.user_code as string, now),
      after: DEVICE_TTL_SECONDS,
    },
    { what: 'token', find: async (on, now) => findLiveToken(on, token.bearer, now), after: 600 },
    { what: 'seat', find: (on, now) => findLiveSession(on, seat.bearer, now), after: 600 },
    {
      what: 'owner agent',
      find: (on, now) => findLiveOwnerAgent(on, agent.bearer, now),
      after: 90 * DAY_SECONDS,
    },
    {
      what: 'owner session',
      find: (on, now) => findLiveOwnerSession(on, session.bearer, now),
      after: IDLE_SECONDS,
    },
  ]
}

test.each(DATABASES)(
  'what was refused as expired stays refused when the clock is set back, on %s',
  async (name) => {
    const db = await open(name)
    for (const { what, find, after } of await makeAll(db)) {
      const counts = async (seconds: number) => (await find(db, later(seconds))) !== undefined
      expect([
        what,
        await counts(after - 1),
        await counts(after),
        await counts(after - 1),
        await counts(-1),
      ]).toEqual([what, true, false, false, false])
    }
  },
)

test('what was only looked at in time is not ended, and an end shows the moment that was set for it', async () => {
  const db = await open('sqlite')
  const wanted = { vault_id: 'default', role: 'viewer', label: null, created_by: 'test', expires_at } as const
  const { token, bearer } = await db.transaction((tx) => createToken(tx, system, wanted))
  expect(await findLiveToken(db, bearer, later(599))).toMatchObject({ revoked_at: null })
  expect(await findLiveToken(db, `${bearer.slice(0, -1)}x`, later(601))).toBeUndefined()
  expect(await findToken(db, 'default', token.token_id)).toMatchObject({ revoked_at: null })
  expect(await findLiveToken(db, bearer, later(601))).toBeUndefined()
  const page = { vault_id: 'default', after: { at: '~', id: '~' }, limit: 10 }
  expect(await listTokens(db, page)).toMatchObject([{ expires_at, revoked_at: expires_at }])
  expect(await db.get(sql<{ count: number }>('SELECT COUNT(*) AS count FROM tokens'))).toEqual({ count: 1 })
})

test('within a transaction nothing is ended', async () => {
  const db = await open('sqlite')
  const wanted = { vault_id: 'default', role: 'viewer', label: null, created_by: 'test', expires_at } as const
  const { bearer } = await db.transaction((tx) => createToken(tx, system, wanted))
  expect(await db.transaction(async (tx) => findLiveToken(tx, bearer, later(601)))).toBeUndefined()
  expect(await findLiveToken(db, bearer, later(599))).toMatchObject({ revoked_at: null })
})
