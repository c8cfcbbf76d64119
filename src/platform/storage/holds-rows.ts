import { type Database, sql, type Transaction } from './database.ts'
import { listTables } from './migrate.ts'

/** Whether any table but those named holds something. */
export async function holdsRows(
  kind: Database['kind'],
  tx: Transaction,
  except: readonly string[],
): Promise<boolean> {
  const tables = (await tx.all(listTables[kind])).map(({ name }) => name)
  const looks = tables
    .filter((name) => !except.includes(name))
    .map((name) => `EXISTS (SELECT 1 FROM "${name}")`)
  if (looks.length === 0) return false
  return (await tx.get(sql<{ held: number }>(`SELECT 1 AS held WHERE ${looks.join(' OR ')}`))) !== undefined
}
