// A hub's worth of writing in a process of its own, for tests that kill it or run several at once.
import { writeSync } from 'node:fs'
import { parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { auditRecord } from './audit-records.ts'

const [folder = '', name = '', limit = '0'] = process.argv.slice(2)
const LANES = 16
const put = sql('INSERT INTO hub_meta (key, value) VALUES (?, ?)')

const db = await openDatabase(homeAt(folder, {}), process.env, new Date())
const log = await openAuditLog(db, parseAuditKey('ab'.repeat(32), 'test'))
let next = 0

async function lane(): Promise<void> {
  while (next < Number(limit)) {
    const id = `${name}-${next++}`
    await db.transaction(async (tx) => {
      await tx.run(put, id, 'act')
      await log.appendIn(tx, [auditRecord({ target_id: id })])
    })
    // Acknowledged: from here on nothing may lose it.
    writeSync(1, `${id}\n`)
  }
}

await Promise.all(Array.from({ length: LANES }, lane))
await db.close()
