import { describe, expect, test } from 'vitest'
import { auditStore } from '../../../../test/store/audit-store.ts'
import {
  countOauthRecords,
  findOauthRecord,
  prolongOauthRecord,
  purgeOauthRecords,
  putOauthRecord,
  removeOauthRecord,
  removeOauthRecordsOf,
  removeOldestOauthClient,
  useOauthRecord,
} from './oauth-records.ts'

const END = Date.parse('2026-11-15T08:00:00.000Z')
const at = (ms: number) => new Date(END + ms)
const code = { consent_id: 'cons_1', payload_json: '{"a":1}', expires_at: at(0).toISOString() }

/** A store with a code that ends at `at(0)`. */
async function storeWithCode() {
  const { db } = await auditStore()
  await db.transaction((tx) => putOauthRecord(tx, 'AuthorizationCode', 'code', code))
  const find = (ms: number, id = 'code') => findOauthRecord(db, 'AuthorizationCode', id, at(ms))
  const use = (ms: number) => db.transaction((tx) => useOauthRecord(tx, 'AuthorizationCode', 'code', at(ms)))
  return { db, find, use }
}

describe('a record of the sign-in', () => {
  test.each([
    [-1, true],
    [0, false],
    [1, false],
  ])('is live until its end and not at it: %i ms after', async (ms, isLive) => {
    const { db, find, use } = await storeWithCode()
    expect((await find(ms)) !== undefined).toBe(isLive)
    expect(await countOauthRecords(db, 'AuthorizationCode', at(ms))).toBe(isLive ? 1 : 0)
    expect(await use(ms)).toBe(isLive)
  })

  test('is used once, by one of several, and stays used when it is written again', async () => {
    const { db, find, use } = await storeWithCode()
    const used = await Promise.all([use(-5), use(-5), use(-4)])
    expect(used.filter(Boolean)).toHaveLength(1)
    const other = { ...code, consent_id: 'cons_2', payload_json: '{"a":2}' }
    await db.transaction((tx) => putOauthRecord(tx, 'AuthorizationCode', 'code', other))
    expect(await find(-3)).toMatchObject({
      consent_id: 'cons_1',
      payload_json: '{"a":2}',
      used_at: expect.any(String),
    })
    expect(await use(-2)).toBe(false)
  })

  test('is kept for longer, never for less', async () => {
    const { db, find } = await storeWithCode()
    const prolong = (ms: number) =>
      db.transaction((tx) => prolongOauthRecord(tx, 'AuthorizationCode', 'code', at(ms).toISOString()))
    await prolong(-60_000)
    expect(await find(-1)).toBeDefined()
    await prolong(60_000)
    expect([await find(59_999), await find(60_000)]).toEqual([expect.anything(), undefined])
  })

  test('is of its kind, goes with its consent, and others stay', async () => {
    const { db, find } = await storeWithCode()
    const put = (id: string, consent_id: string | null) =>
      db.transaction((tx) => putOauthRecord(tx, 'AuthorizationCode', id, { ...code, consent_id }))
    await put('other', 'cons_2')
    await put('without', null)
    expect(await findOauthRecord(db, 'RefreshToken', 'code', at(-1))).toBeUndefined()
    await db.transaction((tx) => removeOauthRecordsOf(tx, 'cons_1'))
    expect([await find(-1), await find(-1, 'other')]).toEqual([undefined, expect.anything()])
    await db.transaction((tx) => removeOauthRecord(tx, 'AuthorizationCode', 'other'))
    expect([await find(-1, 'other'), await find(-1, 'without')]).toEqual([undefined, expect.anything()])
  })

  test('is forgotten once its end is before the moment, not at it', async () => {
    const { db, find } = await storeWithCode()
    await db.transaction((tx) => purgeOauthRecords(tx, at(0)))
    expect(await find(-1)).toBeDefined()
    await db.transaction((tx) => purgeOauthRecords(tx, at(1)))
    expect(await find(-1)).toBeUndefined()
  })

  test('of a program makes room oldest first, where it ends by the moment, and never for another kind', async () => {
    const { db, find } = await storeWithCode()
    for (const ms of [30, 10, 20]) {
      const record = { consent_id: null, payload_json: '{}', expires_at: at(ms).toISOString() }
      await db.transaction((tx) => putOauthRecord(tx, 'Client', `ends at ${ms}`, record))
    }
    const makeRoom = (ms: number) => db.transaction((tx) => removeOldestOauthClient(tx, at(ms)))
    const left = async () => {
      const ends = [10, 20, 30]
      const found = await Promise.all(
        ends.map((ms) => findOauthRecord(db, 'Client', `ends at ${ms}`, at(-1))),
      )
      return ends.filter((_, place) => found[place] !== undefined)
    }
    expect([await makeRoom(9), await left()]).toEqual([false, [10, 20, 30]])
    expect([await makeRoom(10), await left()]).toEqual([true, [20, 30]])
    expect([await makeRoom(1_000), await left()]).toEqual([true, [30]])
    expect([await makeRoom(29), await left()]).toEqual([false, [30]])
    expect(await find(-1)).toBeDefined()
  })
})
