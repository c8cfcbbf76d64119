import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'

const read = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'owner_name'`)
const insert = sql(`INSERT INTO hub_meta (key, value) VALUES ('owner_name', ?) ON CONFLICT (key) DO NOTHING`)

/** The host name of the owner's pages, where a hub of this home has run before. */
export async function findOwnerName(db: Reader): Promise<string | undefined> {
  return (await db.get(read))?.value
}

/**
 * The host name under which the owner's pages are served, made once for each home. Cookies know no ports: what a
 * browser keeps for `localhost` goes to every server there. A name that no other server knows keeps the session out
 * of their reach, so it is told to nobody but the owner. Browsers resolve what ends with `.localhost` to this machine.
 */
export async function ensureOwnerName(tx: Transaction, system: System): Promise<string> {
  const known = await findOwnerName(tx)
  if (known !== undefined) return known
  await tx.run(insert, `kn-${system.random(10)}.localhost`)
  return (await findOwnerName(tx)) as string
}
