import { describe, expect, test } from 'vitest'
import { parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { type AuditLog, openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { type Database, sql } from '../../src/platform/storage/database.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import { auditRecord } from './audit-records.ts'
import { handleOn, NOW, placeOf, type StoreKind, type StorePlace } from './store-place.ts'

const key = parseAuditKey('ab'.repeat(32), 'test')

async function logOn(at: StorePlace): Promise<{ db: Database; log: AuditLog }> {
  const db = await handleOn(at)
  await migrate(db, migrations, NOW)
  return { db, log: await openAuditLog(db, key) }
}

/** One chain for all writers of a store, however many. */
export function runAuditTests(kind: StoreKind): void {
  describe('audit chain', () => {
    test('many writers, several handles: no gap, every record, every act with its record', async () => {
      const at = await placeOf(kind)
      const logs = [await logOn(at), ...(kind.shared ? [await logOn(at), await logOn(at)] : [])]
      const put = sql('INSERT INTO hub_meta (key, value) VALUES (?, ?)')
      await Promise.all(
        logs.flatMap(({ db, log }, writer) =>
          Array.from({ length: 100 }, async (_, number) => {
            const record = auditRecord({ target_id: `${writer}/${number}` })
            if (number % 2) return log.append(record)
            await db.transaction(async (tx) => {
              await tx.run(put, record.target_id, 'done')
              await log.appendIn(tx, [record])
            })
          }),
        ),
      )
      const { db } = logs[0] as { db: Database }
      const report = await verifyChain(db, key)
      expect(report).toMatchObject({ intact: true, fault: null, records: 100 * logs.length })
      const targets = await db.all(sql<{ target_id: string }>('SELECT target_id FROM audit_records'))
      expect(new Set(targets.map((row) => row.target_id)).size).toBe(100 * logs.length)
      const acts = sql<{ count: number }>("SELECT COUNT(*) AS count FROM hub_meta WHERE value = 'done'")
      expect((await db.get(acts))?.count).toBe(50 * logs.length)
    })

    test('odd text in a record is kept in a form that verifies', async () => {
      const { db, log } = await logOn(await placeOf(kind))
      const odd = ['a\0b', '\ud800', 'x\udc00y', 'é🏗', 'x'.repeat(5_000)]
      await Promise.all(odd.map((target_id) => log.append(auditRecord({ target_id }))))
      expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: odd.length })
    })

    test('another key is refused', async () => {
      const at = await placeOf(kind)
      const { db } = await logOn(at)
      const other = parseAuditKey('cd'.repeat(32), 'test')
      await expect(openAuditLog(db, other)).rejects.toThrow('sealed with another key')
      expect(await verifyChain(db, key)).toMatchObject({ intact: true })
    })
  })
}
