import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'

/** How the authorisation of a connection stands. There is a row once a token of it was renewed, or could not be. */
export interface AuthorizationRow {
  connection_id: string
  renewing_by: string | null
  renewing_until: string | null
  needs_owner_since: string | null
  fault: string | null
}

const find = sql<AuthorizationRow>(
  `SELECT connection_id, renewing_by, renewing_until, needs_owner_since, fault FROM connection_authorizations
   WHERE connection_id = ?`,
)
const add = sql(
  'INSERT INTO connection_authorizations (connection_id) VALUES (?) ON CONFLICT (connection_id) DO NOTHING',
)
const claim = sql(
  `UPDATE connection_authorizations SET renewing_by = ?, renewing_until = ?
   WHERE connection_id = ? AND (renewing_until IS NULL OR renewing_until < ?)`,
)
const release = sql(
  `UPDATE connection_authorizations SET renewing_by = NULL, renewing_until = NULL
   WHERE connection_id = ? AND renewing_by = ?`,
)
const need = sql(
  `UPDATE connection_authorizations SET needs_owner_since = ?, fault = ?
   WHERE connection_id = ? AND needs_owner_since IS NULL`,
)
const remove = sql('DELETE FROM connection_authorizations WHERE connection_id = ?')

/** How the authorisation of a connection stands. */
export function findAuthorization(db: Reader, connection_id: string): Promise<AuthorizationRow | undefined> {
  return db.get(find, connection_id)
}

/** Takes it on to renew the tokens of a connection, for so long. Answers whether nobody else does. */
export async function claimRenewal(
  tx: Transaction,
  connection_id: string,
  { by, now, until }: { by: string; now: Date; until: Date },
): Promise<boolean> {
  await tx.run(add, connection_id)
  return (await tx.run(claim, by, until.toISOString(), connection_id, now.toISOString())) === 1
}

/** Lets others renew again. Answers whether it was still ours. */
export async function releaseRenewal(tx: Transaction, connection_id: string, by: string): Promise<boolean> {
  return (await tx.run(release, connection_id, by)) === 1
}

/** Notes that only the owner can go on. Answers whether that is news. */
export async function noteNeed(
  tx: Transaction,
  connection_id: string,
  fault: string,
  now: Date,
): Promise<boolean> {
  return (await tx.run(need, now.toISOString(), fault, connection_id)) === 1
}

/** Forgets how it stood: the owner has authorised anew, or the connection goes. */
export async function clearAuthorization(tx: Transaction, connection_id: string): Promise<void> {
  await tx.run(remove, connection_id)
}
