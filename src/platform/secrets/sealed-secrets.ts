import { sql, type Transaction } from '../storage/database.ts'
import { openText, type SecretPlace, sealText } from './envelope.ts'
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
  return openText(requireSecretsKey(hub), place, sealed)
}

// The first key counts: a second one, made on another machine or in place of a lost one, would split the store.
async function keyOfStore(tx: Transaction, hub: SecretsPlace): Promise<SecretsKey> {
  const known = await tx.get(readKeyId)
  if (known) return checkedKey(requireSecretsKey(hub), known.value)
  const key = ensureSecretsKey(hub)
  await tx.run(writeKeyId, key.key_id)
  const written = await tx.get(readKeyId)
  return checkedKey(key, written?.value)
}

function checkedKey(key: SecretsKey, key_id: string | undefined): SecretsKey {
  if (key.key_id === key_id) return key
  throw new SecretsKeyFault(
    `The credentials of this store are sealed with the key ${key_id}, but ${key.source} holds the key ${key.key_id}.`,
  )
}
