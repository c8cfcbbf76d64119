import { type Reader, sql, type Transaction } from '../database.ts'

/** When a backup was written the last time, and how large it is. */
export interface LastBackup {
  readonly at: string
  readonly bytes: number
}

const KEY = 'last_backup'
const read = sql<{ value: string }>('SELECT value FROM hub_meta WHERE key = ?')
const write = sql(
  'INSERT INTO hub_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
)

export async function noteBackup(tx: Transaction, last: LastBackup): Promise<void> {
  await tx.run(write, KEY, JSON.stringify(last))
}

export async function findLastBackup(db: Reader): Promise<LastBackup | undefined> {
  const found = await db.get(read, KEY)
  return found && (JSON.parse(found.value) as LastBackup)
}
