import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { pruneAudit } from '../../src/platform/audit/checkpoint.ts'
import { exportAudit } from '../../src/platform/audit/read-audit.ts'
import { renderExport } from '../../src/platform/audit/render-export.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { verifyExport } from '../../src/platform/audit/verify-export.ts'
import { type Database, StorageUnavailable } from '../../src/platform/storage/database.ts'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { openSqlite } from '../../src/platform/storage/sqlite/sqlite.ts'
import { auditRecord } from './audit-records.ts'
import { type AuditStore, auditStore } from './audit-store.ts'
import { freshPostgresUrl } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')

async function verifyWhileOthersWrite(open: () => Promise<Database>): Promise<void> {
  const store = await auditStore(500, await open())
  const other = await open()
  onTestFinished(() => other.close())
  const log = await openAuditLog(other, store.key)
  const stop = new AbortController()
  const writing = async () => {
    while (!stop.signal.aborted)
      await Promise.all(Array.from({ length: 20 }, (_, n) => log.append(auditRecord({ target_id: `w${n}` }))))
  }
  const pruning = async () => {
    while (!stop.signal.aborted)
      await pruneAudit(other, log, { max_age_days: 365, max_records: 300 }, { now: NOW, ran_ms: 0 })
  }
  const others = [writing(), pruning()]
  try {
    for (let round = 0; round < 15; round++) {
      const report = await verifyChain(store.db, store.key).catch(overtaken)
      expect(report?.fault ?? null).toBeNull()
      const part = await exportAudit(store.db, { after_seq: 0, limit: 100 }).catch(overtaken)
      if (part) expect(part.records[0]?.seq ?? part.from_seq).toBe(part.from_seq)
      const lines = await exportLines(store).catch(overtaken)
      if (lines) expect((await verifyExport(lines)).fault).toBeNull()
    }
  } finally {
    stop.abort()
    await Promise.all(others)
  }
  expect(await verifyChain(store.db, store.key)).toMatchObject({ intact: true })
}

async function exportLines({ db, key }: AuditStore): Promise<string[]> {
  const lines: string[] = []
  for await (const line of renderExport(db, key, { after_seq: 0, exported_at: '-' })) lines.push(line)
  return lines
}

/** Being overtaken too often is said as such; it is never a false alarm. */
function overtaken(error: unknown): undefined {
  expect(error).toBeInstanceOf(StorageUnavailable)
  return undefined
}

test('SQLite: no false alarm while others append and prune', async () => {
  const path = join(temporaryFolder(), 'store.db')
  await verifyWhileOthersWrite(async () => openSqlite(path))
})

test('PostgreSQL: no false alarm while others append and prune', async () => {
  const url = await freshPostgresUrl()
  await verifyWhileOthersWrite(() => openPostgres(url))
})
