import { type Reader, sql, type Transaction } from '../../storage/database.ts'
import type { Role } from '../caller.ts'

/** What the owner said beforehand that the next program is to be offered. It allows nothing: it ticks what a page shows. */
export interface ConsentWish {
  /** The program that it was said for, in the owner's words. */
  readonly client: string
  readonly vault_id: string
  readonly role?: Role | undefined
  readonly flow_id?: string | undefined
  readonly tools?: readonly string[] | undefined
  readonly ttl_seconds?: number | undefined
  readonly asked_at: string
  readonly until: string
}

const KEY = 'consent_wish'
const write = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('${KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)
const read = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = '${KEY}'`)
const remove = sql(`DELETE FROM hub_meta WHERE key = '${KEY}'`)

/** Notes a wish in the place of the one before. */
export async function keepConsentWish(tx: Transaction, wish: ConsentWish): Promise<void> {
  await tx.run(write, JSON.stringify(wish))
}

/** The wish that counts at the moment; one of a time to come is of a clock that was wrong. */
export async function findConsentWish(db: Reader, now: Date): Promise<ConsentWish | undefined> {
  const row = await db.get(read)
  const wish = row && (JSON.parse(row.value) as ConsentWish)
  const at = now.toISOString()
  return wish && wish.asked_at <= at && at < wish.until ? wish : undefined
}

/** A wish is for one program. */
export async function forgetConsentWish(tx: Transaction): Promise<void> {
  await tx.run(remove)
}
