import { expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { sql } from '../storage/database.ts'
import { pruneAudit } from './checkpoint.ts'
import { verifyChain } from './verify-chain.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-11-01T00:00:00.000Z')
const kept = sql<{ first: number | null; count: number }>(
  'SELECT MIN(seq) AS first, COUNT(*) AS count FROM audit_records',
)

test('records older than the retention go, the others stay, and a signed checkpoint holds their place', async () => {
  const { db, log, key } = await auditStore()
  for (let day = 0; day < 10; day++)
    await log.append(auditRecord({ at: new Date(START + day * DAY_MS).toISOString() }))
  const now = new Date(START + 10 * DAY_MS)
  const keep = { max_age_days: 4, max_records: 1_000 }
  expect(await pruneAudit(db, log, keep, now)).toBe(6)
  expect(await db.get(kept)).toEqual({ first: 7, count: 4 })
  expect(await pruneAudit(db, log, keep, now)).toBe(0)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: 4, checkpoints: 1, first_seq: 7 })
  expect(await pruneAudit(db, log, keep, new Date(START + 100 * DAY_MS))).toBe(4)
  await log.append(auditRecord())
  expect(await verifyChain(db, key)).toMatchObject({
    intact: true,
    records: 1,
    first_seq: 11,
    checkpoints: 2,
  })
})

test('records beyond the count go, the oldest first, however many there are', async () => {
  const { db, log, key } = await auditStore(5_000)
  expect(await pruneAudit(db, log, { max_age_days: 365, max_records: 100 }, new Date(START))).toBe(4_900)
  expect(await db.get(kept)).toEqual({ first: 4_901, count: 100 })
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: 100, checkpoints: 3 })
  expect(await pruneAudit(db, log, { max_age_days: 365, max_records: 100 }, new Date(START))).toBe(0)
})

test('what is not as it was written is not signed away by pruning', async () => {
  for (const attack of [
    'DELETE FROM audit_records WHERE seq = 5',
    'DELETE FROM audit_records WHERE seq = 40',
    "UPDATE audit_records SET caller_id = 'someone' WHERE seq = 5",
  ]) {
    const { db, log, key, tamper } = await auditStore(50)
    await tamper(attack)
    const found = await db.get(kept)
    expect(await pruneAudit(db, log, { max_age_days: 365, max_records: 10 }, new Date(START))).toBe(0)
    expect(await db.get(kept)).toEqual(found)
    expect((await verifyChain(db, key)).fault).toMatch(/Record (5|40)/)
  }
})
