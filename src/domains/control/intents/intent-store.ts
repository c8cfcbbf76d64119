import { hashSecret } from '../../../platform/basics/secret-hash.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'

const INTENT_STATES = ['open', 'completed', 'cancelled', 'unsupported'] as const
export type StoredIntentState = (typeof INTENT_STATES)[number]

/** An intent as it is stored. Codes and states of authorisations are there as hashes only. */
export interface IntentRow {
  intent_id: string
  connector_id: string
  display_name: string | null
  state: StoredIntentState
  /** The kind of the next step. */
  step: string
  created_at: string
  created_by: string
  expires_at: string
  ended_at: string | null
  /** What it became, or what it authorises anew. */
  connection_id: string | null
  code_hash: string | null
  state_hash: string | null
  /** The authorisation that is under way, sealed. */
  sealed: string | null
  scope_json: string | null
  /** Why the last try came to nothing, in the hub's own words. */
  fault: string | null
}

const COLUMNS = `intent_id, connector_id, display_name, state, step, created_at, created_by, expires_at, ended_at,
  connection_id, code_hash, state_hash, sealed, scope_json, fault`
const insert = sql(
  `INSERT INTO connection_intents (${COLUMNS})
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, NULL, NULL, ?, NULL)`,
)
const byId = sql<IntentRow>(`SELECT ${COLUMNS} FROM connection_intents WHERE intent_id = ?`)
const byCode = sql<IntentRow>(`SELECT ${COLUMNS} FROM connection_intents WHERE code_hash = ?`)
const byState = sql<IntentRow>(`SELECT ${COLUMNS} FROM connection_intents WHERE state_hash = ?`)
const page = sql<IntentRow>(
  `SELECT ${COLUMNS} FROM connection_intents WHERE (created_at, intent_id) < (?, ?)
   ORDER BY created_at DESC, intent_id DESC LIMIT ?`,
)
const countIn = sql<{ count: number }>(
  'SELECT COUNT(*) AS count FROM connection_intents WHERE expires_at > ? AND state = ?',
)
const OPEN = `state = 'open' AND expires_at > ?`
const begin = sql(
  `UPDATE connection_intents SET state_hash = ?, sealed = ?, fault = NULL WHERE intent_id = ? AND ${OPEN}`,
)
const useState = sql(
  `UPDATE connection_intents SET state_hash = NULL, sealed = NULL WHERE state_hash = ? AND ${OPEN}`,
)
const end = sql(
  `UPDATE connection_intents SET state = ?, ended_at = ?, connection_id = ?, code_hash = NULL, state_hash = NULL,
   sealed = NULL, fault = NULL WHERE intent_id = ? AND ${OPEN}`,
)
const setFault = sql(`UPDATE connection_intents SET fault = ? WHERE intent_id = ? AND state = 'open'`)
const purge = sql('DELETE FROM connection_intents WHERE expires_at < ?')

/** A new intent, with the code of its enrolment where it has one. */
export type NewIntent = Pick<
  IntentRow,
  | 'intent_id'
  | 'connector_id'
  | 'display_name'
  | 'state'
  | 'step'
  | 'created_at'
  | 'created_by'
  | 'expires_at'
  | 'scope_json'
> & { code: string | undefined; connection_id?: string | null }

/** Puts an intent in. */
export async function insertIntent(tx: Transaction, made: NewIntent): Promise<void> {
  const { intent_id, connector_id, display_name, state, step, created_at, created_by, expires_at } = made
  const code_hash = made.code === undefined ? null : hashSecret(made.code)
  const first = [intent_id, connector_id, display_name, state, step, created_at, created_by, expires_at]
  await tx.run(insert, ...first, made.connection_id ?? null, code_hash, made.scope_json)
}

/** The intent of an id. */
export function findIntent(db: Reader, intent_id: string): Promise<IntentRow | undefined> {
  return db.get(byId, intent_id)
}

/** The intent that an enrolment code belongs to. */
export function findIntentByCode(db: Reader, code: string): Promise<IntentRow | undefined> {
  return db.get(byCode, hashSecret(code))
}

/** The intent whose authorisation waits for this state. */
export function findIntentByState(db: Reader, state: string): Promise<IntentRow | undefined> {
  return db.get(byState, hashSecret(state))
}

/** Intents, newest first, after a place. */
export function listIntents(
  db: Reader,
  after: { created_at: string; intent_id: string } | undefined,
  limit: number,
): Promise<IntentRow[]> {
  // Later than any time, so that the first page begins at the newest.
  return db.all(page, after?.created_at ?? '9999', after?.intent_id ?? '', limit)
}

/** How many intents are kept in a state. */
export async function countIntents(db: Reader, state: StoredIntentState, now: Date): Promise<number> {
  return (await db.get(countIn, now.toISOString(), state))?.count ?? 0
}

/** Notes the authorisation that is under way; a former one counts no more. Answers whether the intent is open. */
export async function beginAuthorization(
  tx: Transaction,
  intent_id: string,
  { state, sealed }: { state: string; sealed: string },
  now: Date,
): Promise<boolean> {
  return (await tx.run(begin, hashSecret(state), sealed, intent_id, now.toISOString())) === 1
}

/** Uses a state up. Answers whether it could be used. */
export async function useAuthorization(tx: Transaction, state: string, now: Date): Promise<boolean> {
  return (await tx.run(useState, hashSecret(state), now.toISOString())) === 1
}

/** Ends an open intent, with the connection that it became where there is one. Answers whether it was open. */
export async function endIntent(
  tx: Transaction,
  intent_id: string,
  { state, connection_id }: { state: 'completed' | 'cancelled'; connection_id: string | null },
  now: Date,
): Promise<boolean> {
  const at = now.toISOString()
  return (await tx.run(end, state, at, connection_id, intent_id, at)) === 1
}

/** Notes why a try came to nothing, for whoever looks at the intent. */
export async function noteFault(tx: Transaction, intent_id: string, fault: string): Promise<void> {
  await tx.run(setFault, fault, intent_id)
}

/** Removes intents whose time ended before the moment. */
export async function purgeIntents(tx: Transaction, ended_before: Date): Promise<void> {
  await tx.run(purge, ended_before.toISOString())
}
