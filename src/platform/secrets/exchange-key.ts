import {
  type Database,
  type Reader,
  type SqlValue,
  type Statement,
  sql,
  type Transaction,
} from '../storage/database.ts'
import { openText, sealText } from './envelope.ts'
import { findStoreKeyId, lockStoreKeyId } from './sealed-secrets.ts'
import {
  ensureNextKey,
  placeNextKey,
  requireSecretsKey,
  type SecretsKey,
  SecretsKeyFault,
  type SecretsPlace,
} from './secrets-key.ts'

/** Uploads are sealed too, and a page of them has to fit into memory. */
const PAGE_ROWS = 16

interface SealedRow {
  id: string
  field: string
  sealed: string
}

/** Where sealed texts are kept: how to walk them, and how to write one back. */
interface SealedColumn {
  readonly list: Statement<SealedRow>
  readonly put: Statement<never>
  readonly keyOf: (row: SealedRow) => SqlValue[]
}

/** Everything in the store that is sealed. */
const SEALED: readonly SealedColumn[] = [
  {
    list: sql<SealedRow>(
      `SELECT connection_id AS id, name AS field, sealed FROM connection_secrets
       WHERE (connection_id, name) > (?, ?) ORDER BY connection_id, name LIMIT ${PAGE_ROWS}`,
    ),
    put: sql('UPDATE connection_secrets SET sealed = ? WHERE connection_id = ? AND name = ?'),
    keyOf: ({ id, field }) => [id, field],
  },
  oneOfEach('connection_intents', 'intent_id', 'sealed', 'authorization'),
  oneOfEach('event_subscriptions', 'subscription_id', 'sealed_secret', 'signing_secret'),
  oneOfEach('event_subscriptions', 'subscription_id', 'sealed_former_secret', 'signing_secret'),
  oneOfEach('owner_presence', 'presence_id', 'input_sealed', 'input'),
  oneOfEach('call_approvals', 'approval_id', 'arguments_sealed', 'arguments'),
  oneOfEach('call_approvals', 'approval_id', 'result_sealed', 'result'),
  oneOfEach('policy_revisions', 'revision_id', 'text_sealed', 'text'),
]

function oneOfEach(table: string, id: string, sealed: string, field: string): SealedColumn {
  return {
    list: sql<SealedRow>(
      `SELECT ${id} AS id, '${field}' AS field, ${sealed} AS sealed FROM ${table}
       WHERE ${sealed} IS NOT NULL AND ${id} > ? ORDER BY ${id} LIMIT ${PAGE_ROWS}`,
    ),
    put: sql(`UPDATE ${table} SET ${sealed} = ? WHERE ${id} = ?`),
    keyOf: (row) => [row.id],
  }
}

const writeKeyId = sql(`UPDATE hub_meta SET value = ? WHERE key = 'secrets_key_id'`)

/** The key to change over to, which is made now unless it is there; undefined where nothing is sealed yet. */
export async function findKeyToCome(db: Reader, place: SecretsPlace): Promise<SecretsKey | undefined> {
  return (await findStoreKeyId(db)) === undefined ? undefined : ensureNextKey(place)
}

/**
 * Seals everything anew with the next key, in this transaction. Until it commits the old key opens all, and from
 * then on the next one does, which is found beside it; so it may be broken off anywhere and made again.
 */
export async function sealAnew(tx: Transaction, place: SecretsPlace, next: SecretsKey): Promise<number> {
  const key_id = await lockStoreKeyId(tx)
  // An earlier exchange came this far: all that is left is to put the key in its place.
  if (key_id === next.key_id && requireSecretsKey(place).key_id !== next.key_id) return 0
  const from = requireSecretsKey(place, key_id)
  if (from.key_id === next.key_id)
    throw new SecretsKeyFault(`${next.source} holds the key that is in use already.`)
  let count = 0
  for (const column of SEALED) count += await sealColumn(tx, column, from, next)
  await tx.run(writeKeyId, next.key_id)
  return count
}

/** Ends an exchange whose change of the store has been committed. Answers where the key is now. */
export async function finishExchange(db: Database, place: SecretsPlace, next: SecretsKey): Promise<string> {
  return db.transaction(async (tx) => {
    await lockStoreKeyId(tx)
    return placeNextKey(place, next.key_id)
  })
}

async function sealColumn(
  tx: Transaction,
  { list, put, keyOf }: SealedColumn,
  from: SecretsKey,
  to: SecretsKey,
): Promise<number> {
  let count = 0
  let after: SqlValue[] = keyOf({ id: '', field: '', sealed: '' })
  for (;;) {
    const rows = await tx.all(list, ...after)
    const written = rows.map((row) => [sealText(to, row, openText(from, row, row.sealed)), ...keyOf(row)])
    await tx.runEach(put, written)
    count += rows.length
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_ROWS) return count
    after = keyOf(last)
  }
}
