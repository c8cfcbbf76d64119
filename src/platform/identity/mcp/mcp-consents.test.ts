import { describe, expect, test } from 'vitest'
import { auditStore } from '../../../../test/store/audit-store.ts'
import { hashSecret } from '../../basics/secret-hash.ts'
import { realSystem } from '../../basics/system.ts'
import {
  createMcpConsent,
  endAllMcpConsents,
  endMcpConsent,
  findConsentOfToken,
  findMcpConsent,
  findStandingConsent,
  listMcpConsents,
  purgeMcpConsents,
  renewMcpConsent,
} from './mcp-consents.ts'
import { findOauthRecord, putOauthRecord } from './oauth-records.ts'

const START = Date.parse('2026-11-15T08:00:00.000Z')
const STANDING_SECONDS = 60
const END_MS = STANDING_SECONDS * 1_000
const TOKEN = 'kmcp_token'
const at = (ms: number) => new Date(START + ms)

/** A store, and a way to write down what the owner allows at a moment. */
async function consentStore() {
  const { db } = await auditStore()
  const allow = (ms = 0, label = 'A program') => {
    const system = { ...realSystem, now: () => at(ms) }
    const asked = { label, client_id: 'client', client_name: 'A program', client_address: 'http://127.0.0.1' }
    const given = { kind: 'membership', vault_id: 'default', role: 'viewer', terms: undefined } as const
    const wanted = { ...asked, ...given, decided_by: 'owner', standing_seconds: STANDING_SECONDS }
    return db.transaction((tx) => createMcpConsent(tx, system, wanted))
  }
  const give = (consent_id: string, ends_ms: number, token = TOKEN) => {
    const record = { consent_id, payload_json: '{}', expires_at: at(ends_ms).toISOString() }
    return db.transaction((tx) => putOauthRecord(tx, 'AccessToken', token, record))
  }
  const end = (consent_id: string, ms: number, reason = 'revoked' as 'revoked' | 'reused') =>
    db.transaction((tx) => endMcpConsent(tx, consent_id, reason, at(ms)))
  const ofToken = (ms: number) => findConsentOfToken(db, hashSecret(TOKEN), at(ms))
  return { db, allow, give, end, ofToken }
}

describe('a consent', () => {
  test('stands until its time is over, and is over for good from then on', async () => {
    const { db, allow } = await consentStore()
    const { consent_id } = await allow()
    const stands = async (ms: number) => (await findStandingConsent(db, consent_id, at(ms))) !== undefined
    expect([await stands(0), await stands(END_MS - 1)]).toEqual([true, true])
    expect([await stands(END_MS), await stands(0)]).toEqual([false, false])
    expect(await findMcpConsent(db, consent_id)).toMatchObject({
      ended_at: at(END_MS).toISOString(),
      end_reason: 'expired',
    })
  })

  test('ends once, for the first reason, takes its tokens along and is not renewed', async () => {
    const { db, allow, give, end, ofToken } = await consentStore()
    const [one, other] = [await allow(), await allow()]
    await give(one.consent_id, END_MS)
    await give(other.consent_id, END_MS, 'kmcp_other')
    expect((await ofToken(1))?.consent_id).toBe(one.consent_id)
    expect([await end(one.consent_id, 2, 'reused'), await end(one.consent_id, 3)]).toEqual([true, false])
    expect(await findMcpConsent(db, one.consent_id)).toMatchObject({
      ended_at: at(2).toISOString(),
      end_reason: 'reused',
    })
    expect([await ofToken(1), await findOauthRecord(db, 'AccessToken', TOKEN, at(1))]).toEqual([
      undefined,
      undefined,
    ])
    expect(await findOauthRecord(db, 'AccessToken', 'kmcp_other', at(1))).toBeDefined()
    const renew = ({ consent_id }: { consent_id: string }) =>
      db.transaction((tx) =>
        renewMcpConsent(tx, { consent_id, grant_id: 'g', period_started_at: at(3).toISOString() }),
      )
    expect([await renew(one), await renew(other), await renew(other)]).toEqual([false, true, true])
    expect(await findMcpConsent(db, other.consent_id)).toMatchObject({ renewals: 2, grant_id: 'g' })
  })

  test('all that stand end at once, and what was over stays as it ended', async () => {
    const { db, allow, end } = await consentStore()
    const [one, two, over] = [await allow(), await allow(), await allow()]
    await end(over.consent_id, 1, 'reused')
    expect(await db.transaction((tx) => endAllMcpConsents(tx, at(5)))).toBe(2)
    for (const { consent_id } of [one, two])
      expect(await findStandingConsent(db, consent_id, at(1))).toBeUndefined()
    expect(await findMcpConsent(db, over.consent_id)).toMatchObject({
      ended_at: at(1).toISOString(),
      end_reason: 'reused',
    })
  })

  test('is listed with the newest first, and no more than asked for', async () => {
    const { db, allow } = await consentStore()
    for (const ms of [2, 0, 3, 1]) await allow(ms, `at ${ms}`)
    expect((await listMcpConsents(db, 3)).map(({ label }) => label)).toEqual(['at 3', 'at 2', 'at 1'])
  })

  test('is forgotten once its end is before the moment, whether it was ended or its time was over', async () => {
    const { db, allow, end } = await consentStore()
    const [ended, late] = [await allow(), await allow(10)]
    await end(ended.consent_id, 5)
    const left = async (ms: number) => {
      await db.transaction((tx) => purgeMcpConsents(tx, at(ms)))
      return (await listMcpConsents(db, 9)).map(({ consent_id }) => consent_id)
    }
    expect(await left(5)).toEqual([late.consent_id, ended.consent_id])
    expect(await left(6)).toEqual([late.consent_id])
    expect(await left(END_MS + 10)).toEqual([late.consent_id])
    expect(await left(END_MS + 11)).toEqual([])
  })
})

test('a token counts until its end and not at it, and is gone then though the clock is set back', async () => {
  const { allow, give, ofToken } = await consentStore()
  const { consent_id } = await allow()
  await give(consent_id, 1_000)
  expect((await ofToken(999))?.consent_id).toBe(consent_id)
  expect([await ofToken(1_000), await ofToken(0)]).toEqual([undefined, undefined])
})

test('a token that outlives its consent counts no longer than that', async () => {
  const { allow, give, ofToken } = await consentStore()
  const { consent_id } = await allow()
  await give(consent_id, END_MS + 5_000)
  expect((await ofToken(END_MS - 1))?.consent_id).toBe(consent_id)
  expect([await ofToken(END_MS), await ofToken(0)]).toEqual([undefined, undefined])
})
