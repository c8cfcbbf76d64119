import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { keyIdOf, openText, type SecretPlace, sealText } from './envelope.ts'
import {
  ensureSecretsKey,
  requireSecretsKey,
  type SecretsKey,
  SecretsKeyFault,
  type SecretsPlace,
} from './secrets-key.ts'

const readKeyId = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'secrets_key_id'`)
const writeKeyId = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('secrets_key_id', ?) ON CONFLICT DO NOTHING`,
)

// Changes nothing and holds the row: whoever seals and whoever exchanges the key wait for each other.
const lockKeyId = sql(`UPDATE hub_meta SET value = value WHERE key = 'secrets_key_id'`)

/** The id of the key that this store is sealed with; undefined where nothing is sealed yet. */
export async function findStoreKeyId(db: Reader): Promise<string | undefined> {
  return (await db.get(readKeyId))?.value
}

/** The same, and nobody seals anything or exchanges the key until the transaction has ended. */
export async function lockStoreKeyId(tx: Transaction): Promise<string | undefined> {
  await tx.run(lockKeyId)
  return findStoreKeyId(tx)
}

/** Seals a secret for its place, to be stored in this transaction. All of one store is sealed with one key. */
export async function sealSecret(
  tx: Transaction,
  hub: SecretsPlace,
  place: SecretPlace,
  secret: string,
): Promise<string> {
  return sealText(await keyOfStore(tx, hub), place, secret)
}

/** Opens a secret that was sealed for this place. Fails closed, and names the key or what is damaged. */
export function openSecret(hub: SecretsPlace, place: SecretPlace, sealed: string): string {
  return openText(requireSecretsKey(hub, keyIdOf(sealed)), place, sealed)
}

/** Whether what was sealed cannot be opened: it was changed, belongs elsewhere, or its key is not there. */
export function isSealFault(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'SealBroken' || error.name === 'SecretsKeyFault')
}

// The first key counts: a second one, made on another machine or in place of a lost one, would split the store.
async function keyOfStore(tx: Transaction, hub: SecretsPlace): Promise<SecretsKey> {
  const known = await lockStoreKeyId(tx)
  if (known !== undefined) return checkedKey(requireSecretsKey(hub, known), known)
  const key = ensureSecretsKey(hub)
  await tx.run(writeKeyId, key.key_id)
  return checkedKey(key, await findStoreKeyId(tx))
}

function checkedKey(key: SecretsKey, key_id: string | undefined): SecretsKey {
  if (key.key_id === key_id) return key
  throw new SecretsKeyFault(
    `The credentials of this store are sealed with the key ${key_id}, but ${key.source} holds the key ${key.key_id}.`,
  )
}
