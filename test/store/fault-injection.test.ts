import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { pruneAudit } from '../../src/platform/audit/checkpoint.ts'
import { coalesceRefusals } from '../../src/platform/audit/coalesce.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { type Database, sql } from '../../src/platform/storage/database.ts'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { openSqlite } from '../../src/platform/storage/sqlite/sqlite.ts'
import { auditRecord } from './audit-records.ts'
import { auditStore } from './audit-store.ts'
import { faultyDatabase, seededChance } from './faulty-database.ts'
import { freshPostgresUrl } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')
const put = sql('INSERT INTO hub_meta (key, value) VALUES (?, ?)')

async function everyFifthFails(open: Database, seed: number, acts: number): Promise<void> {
  const { db, key } = await auditStore(0, open)
  const faulty = faultyDatabase(db, seededChance(seed))
  const log = await openAuditLog(faulty, key)
  const refusals = coalesceRefusals((record) => log.append(record))
  const act = (id: string) =>
    faulty.transaction(async (tx) => {
      await tx.run(put, id, 'act')
      await log.appendIn(tx, [auditRecord({ target_id: id })])
    })
  const tried = await Promise.allSettled(
    Array.from({ length: acts }, async (_, n) => {
      if (n % 4 === 3) return refusals.append(auditRecord({ outcome: 'denied', code: 'FORBIDDEN' }))
      return act(`act ${n}`)
    }),
  )
  const failed = tried.filter((result) => result.status === 'rejected').length
  expect(failed).toBeGreaterThan(acts / 20)
  for (let again = 0; again < 50; again++) {
    if (
      await refusals.flushAll().then(
        () => true,
        () => false,
      )
    )
      break
  }
  // Each act that is there has its record, and each record its act.
  const targets = sql<{ id: string }>(
    "SELECT target_id AS id FROM audit_records WHERE outcome = 'allowed' ORDER BY 1",
  )
  const keys = sql<{ id: string }>("SELECT key AS id FROM hub_meta WHERE value = 'act' ORDER BY 1")
  expect(await db.all(targets)).toEqual(await db.all(keys))
  for (const [n, result] of tried.entries())
    if (n % 4 !== 3 && result.status === 'fulfilled')
      expect(await db.get(sql('SELECT 1 AS found FROM hub_meta WHERE key = ?'), `act ${n}`)).toBeDefined()
  // No refusal is lost; one whose answer was lost may be told twice.
  const told = sql<{ sum: number }>("SELECT SUM(repeats) AS sum FROM audit_records WHERE outcome = 'denied'")
  expect(Number((await db.get(told))?.sum)).toBeGreaterThanOrEqual(acts / 4)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, fault: null })
  await pruneAudit(faulty, log, { max_age_days: 365, max_records: 10 }, { now: NOW, ran_ms: 0 }).catch(
    () => {},
  )
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, fault: null })
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`SQLite, seed ${seed}: no gap, no half act, nothing lost`, async () => {
    await everyFifthFails(openSqlite(join(temporaryFolder(), 'store.db')), seed, 400)
  })
}

test('PostgreSQL: no gap, no half act, nothing lost', async () => {
  await everyFifthFails(await openPostgres(await freshPostgresUrl()), 6, 200)
})
