import { openSecret, sealSecret } from '../../../platform/secrets/sealed-secrets.ts'
import type { SecretsPlace } from '../../../platform/secrets/secrets-key.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'

const put = sql(
  `INSERT INTO connection_secrets (connection_id, name, sealed, updated_at) VALUES (?, ?, ?, ?)
   ON CONFLICT (connection_id, name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`,
)
const findSealed = sql<{ sealed: string }>(
  'SELECT sealed FROM connection_secrets WHERE connection_id = ? AND name = ?',
)
const findStatus = sql<{ status: string }>('SELECT status FROM connections WHERE connection_id = ?')
const remove = sql('DELETE FROM connection_secrets WHERE connection_id = ?')

/** One credential of a connection, by its name. */
export interface ConnectionSecret {
  readonly connection_id: string
  readonly name: string
  readonly value: string
}

/** Seals a credential of a connection, in place of the one of that name. */
export async function putSecret(
  tx: Transaction,
  hub: SecretsPlace,
  { connection_id, name, value }: ConnectionSecret,
): Promise<void> {
  const sealed = await sealSecret(tx, hub, { id: connection_id, field: name }, value)
  await tx.run(put, connection_id, name, sealed, hub.system.now().toISOString())
}

/** Keeps a newer credential, unless the connection is gone or revoked. Answers whether it was kept. */
export async function replaceSecret(
  tx: Transaction,
  hub: SecretsPlace,
  secret: ConnectionSecret,
): Promise<boolean> {
  const connection = await tx.get(findStatus, secret.connection_id)
  if (connection?.status !== 'active') return false
  await putSecret(tx, hub, secret)
  return true
}

/** A credential in the clear, or undefined where the connection has none of that name. */
export async function readSecret(
  db: Reader,
  hub: SecretsPlace,
  connection_id: string,
  name: string,
): Promise<string | undefined> {
  const row = await db.get(findSealed, connection_id, name)
  return row && openSecret(hub, { id: connection_id, field: name }, row.sealed)
}

/** Erases every credential of a connection. Answers how many there were. */
export async function removeSecrets(tx: Transaction, connection_id: string): Promise<number> {
  return tx.run(remove, connection_id)
}
