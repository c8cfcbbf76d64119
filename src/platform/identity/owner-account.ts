import { type Reader, sql, type Transaction } from '../storage/database.ts'

/** The owner of the hub. There is one; what proves to be them lies beside it. */
export interface OwnerAccount {
  owner_id: string
  password_hash: string
  created_at: string
  password_changed_at: string
}

/** The one owner's id, on the wire and in the audit log. */
export const OWNER_ID = 'owner'

const COLUMNS = 'owner_id, password_hash, created_at, password_changed_at'
const byId = sql<OwnerAccount>(`SELECT ${COLUMNS} FROM owner_account WHERE owner_id = '${OWNER_ID}'`)
const insert = sql(`INSERT INTO owner_account (${COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
const changePassword = sql(
  `UPDATE owner_account SET password_hash = ?, password_changed_at = ?
   WHERE owner_id = '${OWNER_ID}' AND password_hash = ?`,
)
// Changes nothing, but lets nobody change the password until the transaction has ended.
const holdAccount = sql(
  `UPDATE owner_account SET password_hash = password_hash WHERE owner_id = '${OWNER_ID}' AND password_hash = ?`,
)

/** The account, once somebody has set it up. */
export function findOwner(db: Reader): Promise<OwnerAccount | undefined> {
  return db.get(byId)
}

/** Sets the account up; answers whether it was still to be done. */
export async function createOwner(tx: Transaction, password_hash: string, now: Date): Promise<boolean> {
  const at = now.toISOString()
  return (await tx.run(insert, OWNER_ID, password_hash, at, at)) === 1
}

/** Puts another password in place of the former one; answers whether that still was the owner's. */
export async function replacePassword(
  tx: Transaction,
  { former_hash, password_hash }: { former_hash: string; password_hash: string },
  now: Date,
): Promise<boolean> {
  return (await tx.run(changePassword, password_hash, now.toISOString(), former_hash)) === 1
}

/** Whether the password still is the one that was checked; it then stays so until the transaction has ended. */
export async function holdPassword(tx: Transaction, password_hash: string): Promise<boolean> {
  return (await tx.run(holdAccount, password_hash)) === 1
}
