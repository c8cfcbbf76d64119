import { hashSecret, isSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { keptReads } from '../storage/kept-reads.ts'
import type { Role } from './caller.ts'

/** A local token as its owner may see it: never the secret, never its hash. */
export interface TokenRecord {
  token_id: string
  vault_id: string
  role: Role
  label: string | null
  created_at: string
  created_by: string
  expires_at: string | null
  revoked_at: string | null
}

const COLUMNS = 'token_id, vault_id, role, label, created_at, created_by, expires_at, revoked_at'
const insert = sql(`INSERT INTO tokens (${COLUMNS}, secret_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
type StoredToken = TokenRecord & { secret_hash: string }
const byId = sql<StoredToken>(`SELECT ${COLUMNS}, secret_hash FROM tokens WHERE token_id = ?`)
const inVault = sql<TokenRecord>(`SELECT ${COLUMNS} FROM tokens WHERE vault_id = ? AND token_id = ?`)
const page = sql<TokenRecord>(
  `SELECT ${COLUMNS} FROM tokens
   WHERE vault_id = ? AND (created_at, token_id) < (?, ?) ORDER BY created_at DESC, token_id DESC LIMIT ?`,
)
const revoke = sql(
  'UPDATE tokens SET revoked_at = ? WHERE vault_id = ? AND token_id = ? AND revoked_at IS NULL',
)

export const TOKEN_PREFIX = 'ktok_'
const BEARER = /^ktok_([0-9a-f]{16})_[0-9a-f]{64}$/

/** Makes a token and its one-time bearer, of which only a hash is stored. */
export async function createToken(
  tx: Transaction,
  system: System,
  wanted: Pick<TokenRecord, 'vault_id' | 'role' | 'label' | 'created_by' | 'expires_at'>,
): Promise<{ token: TokenRecord; bearer: string }> {
  const id = system.random(8)
  const bearer = `ktok_${id}_${system.random(32)}`
  const token: TokenRecord = {
    token_id: `tok_${id}`,
    vault_id: wanted.vault_id,
    role: wanted.role,
    label: wanted.label,
    created_at: system.now().toISOString(),
    created_by: wanted.created_by,
    expires_at: wanted.expires_at,
    revoked_at: null,
  }
  await tx.run(insert, ...Object.values(token), hashSecret(bearer))
  return { token, bearer }
}

const keptTokens = keptReads<StoredToken>('tokens')

/** The live token a bearer belongs to, by what the store holds at this moment: a revoke counts at once everywhere. */
export function findLiveToken(
  db: Reader,
  bearer: string,
  now: Date,
): TokenRecord | undefined | Promise<TokenRecord | undefined> {
  const id = BEARER.exec(bearer)?.[1]
  if (!id) return undefined
  const ifLive = (found: StoredToken | undefined) => {
    if (!found || !isSecret(bearer, found.secret_hash) || found.revoked_at) return undefined
    return found.expires_at && found.expires_at <= now.toISOString() ? undefined : found
  }
  const found = keptTokens(db, id, () => db.get(byId, `tok_${id}`))
  return found instanceof Promise ? found.then(ifLive) : ifLive(found)
}

/** A token of the vault by its id, whatever has become of it. */
export function findToken(db: Reader, vault_id: string, token_id: string): Promise<TokenRecord | undefined> {
  return db.get(inVault, vault_id, token_id)
}

/** Tokens of a vault, newest first, from a place on; revoked and expired ones included. */
export function listTokens(
  db: Reader,
  wanted: { vault_id: string; after: { at: string; id: string }; limit: number },
): Promise<TokenRecord[]> {
  return db.all(page, wanted.vault_id, wanted.after.at, wanted.after.id, wanted.limit)
}

/** Revokes a token of the vault; a second time changes nothing. Answers nothing for an unknown one. */
export async function revokeToken(
  tx: Transaction,
  vault_id: string,
  token_id: string,
  now: Date,
): Promise<TokenRecord | undefined> {
  await tx.run(revoke, now.toISOString(), vault_id, token_id)
  return tx.get(inVault, vault_id, token_id)
}
