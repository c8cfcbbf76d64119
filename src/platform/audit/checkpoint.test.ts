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
  expect(await pruneAudit(db, log, keep, { now, ran_ms: 0 })).toBe(6)
  expect(await db.get(kept)).toEqual({ first: 7, count: 4 })
  expect(await pruneAudit(db, log, keep, { now, ran_ms: 0 })).toBe(0)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: 4, checkpoints: 1, first_seq: 7 })
  expect(await pruneAudit(db, log, keep, { now: new Date(START + 100 * DAY_MS), ran_ms: 90 * DAY_MS })).toBe(
    4,
  )
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
  expect(
    await pruneAudit(db, log, { max_age_days: 365, max_records: 100 }, { now: new Date(START), ran_ms: 0 }),
  ).toBe(4_900)
  expect(await db.get(kept)).toEqual({ first: 4_901, count: 100 })
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: 100, checkpoints: 3 })
  expect(
    await pruneAudit(db, log, { max_age_days: 365, max_records: 100 }, { now: new Date(START), ran_ms: 0 }),
  ).toBe(0)
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
    expect(
      await pruneAudit(db, log, { max_age_days: 365, max_records: 10 }, { now: new Date(START), ran_ms: 0 }),
    ).toBe(0)
    expect(await db.get(kept)).toEqual(found)
    expect((await verifyChain(db, key)).fault).toMatch(/Record (5|40)/)
  }
})

const STRANGER = { caller_kind: 'anonymous', caller_id: '-', vault_id: '-', outcome: 'denied' } as const

test('what strangers were refused pushes out nothing, by count or by size', async () => {
  const { db, log, key } = await auditStore()
  const act = auditRecord({ operation: 'token_create', target_id: 'tok_9' })
  const refusals = Array.from({ length: 9_000 }, () => auditRecord(STRANGER))
  await db.transaction((tx) => log.appendIn(tx, [act, ...refusals]))
  const keep = { max_age_days: 365, max_records: 5_000, max_megabytes: 1 }
  expect(await pruneAudit(db, log, keep, { now: new Date(START), ran_ms: 0 })).toBe(0)
  const acts = Array.from({ length: 5_000 }, () => auditRecord())
  await db.transaction((tx) => log.appendIn(tx, acts))
  await pruneAudit(db, log, keep, { now: new Date(START), ran_ms: 0 })
  const known = sql<{ count: number }>(
    `SELECT COUNT(*) AS count FROM audit_records WHERE caller_kind <> 'anonymous'`,
  )
  expect((await db.get(known))?.count).toBeGreaterThan(2_000)
  expect((await db.get(known))?.count).toBeLessThan(5_000)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, pruned: { last_rule: 'size' } })
})

test('records go by count one by one, with strangers among them', async () => {
  const { db, log, key } = await auditStore()
  const mixed = Array.from({ length: 60 }, (_, n) => auditRecord(n % 2 ? STRANGER : {}))
  await db.transaction((tx) => log.appendIn(tx, mixed))
  await pruneAudit(db, log, { max_age_days: 365, max_records: 10 }, { now: new Date(START), ran_ms: 0 })
  // The 20 oldest of 30 acts went, and what lay between them.
  expect(await db.get(kept)).toEqual({ first: 40, count: 21 })
  expect(await verifyChain(db, key)).toMatchObject({ pruned: { records: 39, last_rule: 'count' } })
})

test('a clock that has jumped prunes next to nothing, and is followed only as fast as time goes by', async () => {
  const { db, log, key } = await auditStore()
  for (let day = 0; day < 90; day++)
    await log.append(auditRecord({ at: new Date(START + day * DAY_MS).toISOString() }))
  const keep = { max_age_days: 90, max_records: 1_000_000 }
  const today = START + 90 * DAY_MS
  expect(await pruneAudit(db, log, keep, { now: new Date(today), ran_ms: 0 })).toBe(0)
  const wrong = new Date(today + 100 * DAY_MS)
  // Its own records do not vouch for it.
  await log.append(auditRecord({ at: wrong.toISOString(), operation: 'hub_started' }))
  expect(await pruneAudit(db, log, keep, { now: wrong, ran_ms: 14_000 })).toBeLessThanOrEqual(1)
  expect((await db.get(kept))?.count).toBeGreaterThanOrEqual(90)
  let went = 0
  for (let hour = 0; hour < 24; hour++)
    went += await pruneAudit(db, log, keep, { now: wrong, ran_ms: DAY_MS / 24 })
  expect(went).toBeGreaterThanOrEqual(1)
  expect(went).toBeLessThanOrEqual(2)
  // Set right again it is believed, and what the wrong one had gained is not lost twice.
  expect(await pruneAudit(db, log, keep, { now: new Date(today + DAY_MS), ran_ms: 0 })).toBe(0)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, pruned: { last_rule: 'age' } })
})

test('a clock that was set back takes no trust away from the right one', async () => {
  const { db, log } = await auditStore()
  for (let day = 0; day < 10; day++)
    await log.append(auditRecord({ at: new Date(START + day * DAY_MS).toISOString() }))
  const keep = { max_age_days: 5, max_records: 1_000_000 }
  expect(await pruneAudit(db, log, keep, { now: new Date(0), ran_ms: 0 })).toBe(0)
  expect(await pruneAudit(db, log, keep, { now: new Date(START + 10 * DAY_MS), ran_ms: 0 })).toBe(5)
})

test('many small jumps, each with a start of the hub, get no further than a large one', async () => {
  const { db, log, key } = await auditStore()
  for (let day = 0; day < 90; day++)
    await log.append(auditRecord({ at: new Date(START + day * DAY_MS).toISOString() }))
  const keep = { max_age_days: 90, max_records: 1_000_000 }
  const today = START + 89 * DAY_MS
  const pruneAt = (time: number, on_ms: number, boot = 'one') =>
    pruneAudit(db, log, keep, { now: new Date(time), ran_ms: 0, boot: { boot, ms: on_ms } })
  expect(await pruneAt(today, 1_000)).toBe(0)
  let went = 0
  for (let start = 1; start <= 60; start++)
    went += await pruneAt(today + start * 2.9 * DAY_MS, 1_000 + start * 20_000)
  expect(went).toBeLessThanOrEqual(1)
  expect((await db.get(kept))?.count).toBeGreaterThanOrEqual(89)
  // A day later the right clock is believed again, and a machine that was off for two days is not doubted.
  expect(await pruneAt(today + DAY_MS, DAY_MS)).toBeLessThanOrEqual(1)
  expect(await pruneAt(today + 3 * DAY_MS, 5_000, 'two')).toBeGreaterThanOrEqual(1)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true })
})
