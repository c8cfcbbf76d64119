import { hashSecret, isSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import type { Role } from './caller.ts'
import { stayExpired } from './stay-expired.ts'

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
const byId = sql<TokenRecord & { secret_hash: string }>(
  `SELECT ${COLUMNS}, secret_hash FROM tokens WHERE token_id = ?`,
)
const inVault = sql<TokenRecord>(`SELECT ${COLUMNS} FROM tokens WHERE vault_id = ? AND token_id = ?`)
const page = sql<TokenRecord>(
  `SELECT ${COLUMNS} FROM tokens
   WHERE vault_id = ? AND (created_at, token_id) < (?, ?) ORDER BY created_at DESC, token_id DESC LIMIT ?`,
)
const revoke = sql(
  'UPDATE tokens SET revoked_at = ? WHERE vault_id = ? AND token_id = ? AND revoked_at IS NULL',
)

const revokeAll = sql('UPDATE tokens SET revoked_at = ? WHERE revoked_at IS NULL')
// Through tokens that count no more, too: what they had made counts as long as nobody revokes it.
const liveMadeBy = sql<TokenRecord>(
  `WITH RECURSIVE made (token_id) AS (
     SELECT token_id FROM tokens WHERE vault_id = ? AND created_by = ?
     UNION SELECT tokens.token_id FROM tokens JOIN made ON tokens.created_by = 'token:' || made.token_id
     WHERE tokens.vault_id = ?)
   SELECT ${COLUMNS} FROM tokens WHERE token_id IN (SELECT token_id FROM made)
     AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
   ORDER BY created_at, token_id`,
)

// A token that was refused as expired shows its own end as the moment of its revocation.
const endExpired = sql('UPDATE tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL')

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

/** The live token of a bearer. Read each time, so that a revoke counts at once everywhere. */
export async function findLiveToken(db: Reader, bearer: string, now: Date): Promise<TokenRecord | undefined> {
  const id = BEARER.exec(bearer)?.[1]
  if (!id) return undefined
  const found = await db.get(byId, `tok_${id}`)
  if (!found || !isSecret(bearer, found.secret_hash) || found.revoked_at) return undefined
  if (!found.expires_at || found.expires_at > now.toISOString()) return found
  await stayExpired(db, endExpired, found.expires_at, found.token_id)
  return undefined
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

/** Revokes a token of the vault; a second time changes nothing. Answers undefined for an unknown one. */
export async function revokeToken(
  tx: Transaction,
  vault_id: string,
  token_id: string,
  now: Date,
): Promise<TokenRecord | undefined> {
  await tx.run(revoke, now.toISOString(), vault_id, token_id)
  return tx.get(inVault, vault_id, token_id)
}

/** Revokes every token of every vault; answers how many there were. */
export function revokeAllTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.run(revokeAll, now.toISOString())
}

/** The tokens that count and come from this one: those it made, those that they made, and so on. */
export function findMadeBy(
  db: Reader,
  { vault_id, token_id }: Pick<TokenRecord, 'vault_id' | 'token_id'>,
  now: Date,
): Promise<TokenRecord[]> {
  return db.all(liveMadeBy, vault_id, `token:${token_id}`, vault_id, now.toISOString())
}
