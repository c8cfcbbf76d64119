import { hashSecret } from '../../basics/secret-hash.ts'
import { type Reader, sql, type Transaction } from '../../storage/database.ts'

/** What the sign-in for MCP keeps: each under the hash of the id, code or token that its holder has. */
export type OauthKind = 'Client' | 'Interaction' | 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

export interface OauthRecord {
  readonly consent_id: string | null
  readonly payload_json: string
  readonly expires_at: string
  readonly used_at: string | null
}

const COLUMNS = 'consent_id, payload_json, expires_at, used_at'
// What is there already keeps its consent and stays used: the same successor may be written twice.
const upsert = sql(
  `INSERT INTO oauth_records (kind, record_hash, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL)
   ON CONFLICT (kind, record_hash) DO UPDATE SET payload_json = excluded.payload_json`,
)
const byHash = sql<OauthRecord>(`SELECT ${COLUMNS} FROM oauth_records WHERE kind = ? AND record_hash = ?`)
const waitingSignIns = sql<{ record_hash: string; payload_json: string; expires_at: string }>(
  `SELECT record_hash, payload_json, expires_at FROM oauth_records
   WHERE kind = 'Interaction' AND used_at IS NULL AND expires_at > ? ORDER BY expires_at DESC, record_hash LIMIT ?`,
)
const use = sql(
  `UPDATE oauth_records SET used_at = ? WHERE kind = ? AND record_hash = ? AND used_at IS NULL AND expires_at > ?`,
)
const remove = sql('DELETE FROM oauth_records WHERE kind = ? AND record_hash = ?')
const removeOfConsent = sql('DELETE FROM oauth_records WHERE consent_id = ?')
const prolong = sql(
  'UPDATE oauth_records SET expires_at = ? WHERE kind = ? AND record_hash = ? AND expires_at < ?',
)
const countLive = sql<{ count: number }>(
  'SELECT COUNT(*) AS count FROM oauth_records WHERE kind = ? AND expires_at > ?',
)
const removeOldestClient = sql(
  `DELETE FROM oauth_records WHERE kind = 'Client' AND record_hash =
   (SELECT record_hash FROM oauth_records WHERE kind = 'Client' AND expires_at <= ? ORDER BY expires_at LIMIT 1)`,
)
const purge = sql('DELETE FROM oauth_records WHERE expires_at < ?')

/** Keeps a record, or its new content. */
export async function putOauthRecord(
  tx: Transaction,
  kind: OauthKind,
  id: string,
  record: Omit<OauthRecord, 'used_at'>,
): Promise<void> {
  const { consent_id, payload_json, expires_at } = record
  await tx.run(upsert, kind, hashSecret(id), consent_id, payload_json, expires_at)
}

/** The live record of an id; one that was used is still there. */
export async function findOauthRecord(
  db: Reader,
  kind: OauthKind,
  id: string,
  now: Date,
): Promise<OauthRecord | undefined> {
  const found = await db.get(byHash, kind, hashSecret(id))
  return found && found.expires_at > now.toISOString() ? found : undefined
}

/** A program that has opened the page on which the owner decides. */
export interface WaitingSignIn {
  readonly record_hash: string
  readonly client_id: string
  readonly created_at: string
  readonly expires_at: string
}

export async function listWaitingSignIns(db: Reader, now: Date, limit: number): Promise<WaitingSignIn[]> {
  const rows = await db.all(waitingSignIns, now.toISOString(), limit)
  return rows.flatMap(({ record_hash, payload_json, expires_at }) => {
    const { params, iat } = JSON.parse(payload_json) as { params?: { client_id?: unknown }; iat?: unknown }
    if (typeof params?.client_id !== 'string' || typeof iat !== 'number') return []
    const created_at = new Date(iat * 1_000).toISOString()
    return [{ record_hash, client_id: params.client_id, created_at, expires_at }]
  })
}

/** Uses a record up; answers whether nobody had. */
export async function useOauthRecord(
  tx: Transaction,
  kind: OauthKind,
  id: string,
  now: Date,
): Promise<boolean> {
  const at = now.toISOString()
  return (await tx.run(use, at, kind, hashSecret(id), at)) === 1
}

export async function removeOauthRecord(tx: Transaction, kind: OauthKind, id: string): Promise<void> {
  await tx.run(remove, kind, hashSecret(id))
}

/** Removes the codes and tokens of a consent. */
export async function removeOauthRecordsOf(tx: Transaction, consent_id: string): Promise<void> {
  await tx.run(removeOfConsent, consent_id)
}

/** Keeps a record for longer. */
export async function prolongOauthRecord(
  tx: Transaction,
  kind: OauthKind,
  id: string,
  until: string,
): Promise<void> {
  await tx.run(prolong, until, kind, hashSecret(id), until)
}

/** How many live records of a kind there are. */
export async function countOauthRecords(db: Reader, kind: OauthKind, now: Date): Promise<number> {
  return Number((await db.get(countLive, kind, now.toISOString()))?.count ?? 0)
}

/** Removes the program that would be forgotten first, where that is by the moment. Answers whether there was one. */
export async function removeOldestOauthClient(tx: Transaction, ends_by: Date): Promise<boolean> {
  return (await tx.run(removeOldestClient, ends_by.toISOString())) === 1
}

/** Removes what ended before the moment. */
export async function purgeOauthRecords(tx: Transaction, ended_before: Date): Promise<void> {
  await tx.run(purge, ended_before.toISOString())
}
