import { onTestFinished } from 'vitest'
import { type AuditKey, parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { type AuditLog, openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { type Database, type SqlValue, sql } from '../../src/platform/storage/database.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import { openSqlite } from '../../src/platform/storage/sqlite/sqlite.ts'
import { auditRecord } from './audit-records.ts'

export interface AuditStore {
  db: Database
  log: AuditLog
  key: AuditKey
  /** Changes the stored rows as someone would who can write to the database but has no key. */
  tamper(text: string, ...values: SqlValue[]): Promise<number>
}

/** An audit log of the running test's own, in memory unless a database is given. */
export async function auditStore(records = 0, db: Database = openSqlite(':memory:')): Promise<AuditStore> {
  onTestFinished(() => db.close())
  await migrate(db, migrations, new Date('2026-11-01T00:00:00.000Z'))
  const key = parseAuditKey('ab'.repeat(32), 'test')
  const log = await openAuditLog(db, key)
  const all = Array.from({ length: records }, (_, n) => auditRecord({ target_id: `flow_${n + 1}` }))
  if (records > 0) await db.transaction((tx) => log.appendIn(tx, all))
  return { db, log, key, tamper: (text, ...values) => db.transaction((tx) => tx.run(sql(text), ...values)) }
}
