import { type Database, type SqlValue, sql, type Transaction } from '../../src/platform/storage/database.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { ask, type Json } from './boundary-hub.ts'

/** The tables of the ledger and its journal. */
export const LEDGER_TABLES = [
  'ledger_entries',
  'ledger_links',
  'ledger_heads',
  'ledger_journal',
  'ledger_journal_head',
] as const
export type Copy = Map<string, Record<string, SqlValue>[]>

/** Does something that no statement of the hub's does. */
export const change = (tx: Transaction, text: string, ...values: SqlValue[]) => tx.run(sql(text), ...values)

/** The rows of the ledger's tables, as someone copies them who can read the file. */
export async function copyLedger(db: Database): Promise<Copy> {
  const copy: Copy = new Map()
  for (const table of LEDGER_TABLES)
    copy.set(table, await db.all(sql<Record<string, SqlValue>>(`SELECT * FROM ${table}`)))
  return copy
}

/** Puts such rows in the place of those that are there. */
export async function putBack(
  db: Database,
  copy: Copy,
  tables: readonly string[] = LEDGER_TABLES,
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const table of tables) {
      await change(tx, `DELETE FROM ${table}`)
      for (const row of copy.get(table) ?? []) {
        const marks = Object.keys(row).map(() => '?')
        await change(
          tx,
          `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${marks})`,
          ...Object.values(row),
        )
      }
    }
  })
}

/** Removes all of a tenant but what the journal says of it. */
export async function removeTenant(tx: Transaction, tenant: string): Promise<void> {
  const own = 'SELECT id FROM ledger_entries WHERE tenant_id = ?'
  await change(tx, `DELETE FROM ledger_links WHERE id IN (${own})`, tenant)
  await change(tx, 'DELETE FROM ledger_entries WHERE tenant_id = ?', tenant)
  await change(tx, 'DELETE FROM ledger_heads WHERE tenant_id = ?', tenant)
}

/** What `ledger verify` says. */
export async function verify(hub: TestHub, input: object = {}): Promise<Json> {
  return (await ask(hub, 'ledger_verify', input, { as: 'admin' })).body
}

/** What the doctor says of the ledger. */
export async function diagnose(hub: TestHub): Promise<Json> {
  const { findings } = (await ask(hub, 'doctor', {}, { as: 'owner' })).body
  return findings.find(({ subject }: Json) => subject === 'ledger')
}
