import type { System } from '../../basics/system.ts'
import { type Database, type Reader, sql, type Transaction } from '../../storage/database.ts'
import type { ConsentBounds, Role } from '../caller.ts'
import { removeOauthRecordsOf } from './oauth-records.ts'

/** One flow at one version: what each grant under a consent is bound by. */
export interface ConsentTerms {
  readonly flow_id: string
  readonly flow_version: string
  readonly tools: readonly string[]
  /** Over the policy's entries of the tools as the owner saw them. */
  readonly tools_digest: string
  /** How long each grant lives, and its token. */
  readonly ttl_seconds: number
  /** Uses within a lifetime; 0 leaves it to the policy. */
  readonly max_invocations: number
  /** Of its calls, within what the policy has. */
  readonly bounds?: ConsentBounds | undefined
}

/** Why a consent is over before its time. */
export type ConsentEnd =
  | 'revoked'
  | 'given_back'
  | 'reused'
  | 'expired'
  | 'new_version'
  | 'tool_not_allowed'
  | 'tool_changed'

/** What the owner has allowed a program at `/mcp`. */
export interface McpConsent {
  readonly consent_id: string
  readonly label: string
  readonly client_id: string
  /** What the program says of itself: nobody vouches for it. */
  readonly client_name: string
  /** Where its answer goes. */
  readonly client_address: string
  readonly kind: 'membership' | 'grant'
  readonly vault_id: string
  readonly role: Role
  readonly terms: ConsentTerms | undefined
  readonly created_at: string
  readonly decided_by: string
  readonly standing_until: string
  readonly renewals: number
  /** The grant that counts now; each renewal brings another. */
  readonly grant_id: string | null
  /** When its uses began to be counted. */
  readonly period_started_at: string | null
  /** The successors of its refresh tokens follow from it. */
  readonly family_key: string
  readonly ended_at: string | null
  readonly end_reason: ConsentEnd | null
}

/** Access tokens for `/mcp`. */
export const MCP_TOKEN = /^kmcp_[0-9a-f]{64}$/

/** A consent stands for this long at most. */
export const STANDING_SECONDS_MAX = 30 * 86_400

type Row = Omit<McpConsent, 'terms'> & { readonly terms_json: string | null }

const COLUMNS = `consent_id, label, client_id, client_name, client_address, kind, vault_id, role, terms_json, created_at,
  decided_by, standing_until, renewals, grant_id, period_started_at, family_key, ended_at, end_reason`
const OF_CONSENT = COLUMNS.replace(/\w+/g, 'c.$&')
const insert = sql(
  `INSERT INTO mcp_consents (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const byId = sql<Row>(`SELECT ${COLUMNS} FROM mcp_consents WHERE consent_id = ?`)
const ofGrant = sql<Row>(`SELECT ${COLUMNS} FROM mcp_consents WHERE grant_id = ? AND ended_at IS NULL`)
const page = sql<Row>(`SELECT ${COLUMNS} FROM mcp_consents ORDER BY created_at DESC, consent_id DESC LIMIT ?`)
const ofToken = sql<Row & { token_ends: string }>(
  `SELECT ${OF_CONSENT}, t.expires_at AS token_ends FROM oauth_records t
   JOIN mcp_consents c ON c.consent_id = t.consent_id WHERE t.kind = ? AND t.record_hash = ?`,
)
const removeToken = sql(`DELETE FROM oauth_records WHERE kind = 'AccessToken' AND record_hash = ?`)
const renew = sql(
  `UPDATE mcp_consents SET renewals = renewals + 1, grant_id = ?, period_started_at = ?
   WHERE consent_id = ? AND ended_at IS NULL`,
)
const end = sql(
  'UPDATE mcp_consents SET ended_at = ?, end_reason = ? WHERE consent_id = ? AND ended_at IS NULL',
)
const endAll = sql(`UPDATE mcp_consents SET ended_at = ?, end_reason = 'revoked' WHERE ended_at IS NULL`)
const purge = sql('DELETE FROM mcp_consents WHERE ended_at < ? OR standing_until < ?')

type Wanted = Pick<
  McpConsent,
  | 'label'
  | 'client_id'
  | 'client_name'
  | 'client_address'
  | 'kind'
  | 'vault_id'
  | 'role'
  | 'terms'
  | 'decided_by'
> & { readonly standing_seconds: number }

/** Writes down what the owner allows. */
export async function createMcpConsent(tx: Transaction, system: System, wanted: Wanted): Promise<McpConsent> {
  const now = system.now()
  const { terms, standing_seconds } = wanted
  const consent: McpConsent = {
    consent_id: `cons_${system.random(8)}`,
    label: wanted.label,
    client_id: wanted.client_id,
    client_name: wanted.client_name,
    client_address: wanted.client_address,
    kind: wanted.kind,
    vault_id: wanted.vault_id,
    role: wanted.role,
    terms,
    created_at: now.toISOString(),
    decided_by: wanted.decided_by,
    standing_until: new Date(now.getTime() + standing_seconds * 1_000).toISOString(),
    renewals: 0,
    grant_id: null,
    period_started_at: null,
    family_key: system.random(32),
    ended_at: null,
    end_reason: null,
  }
  const row = { ...consent, terms: terms ? JSON.stringify(terms) : null }
  await tx.run(insert, ...(Object.values(row) as (string | number | null)[]))
  return consent
}

export async function findMcpConsent(db: Reader, consent_id: string): Promise<McpConsent | undefined> {
  const row = await db.get(byId, consent_id)
  return row && toConsent(row)
}

/** The consent that a grant was given under, where it was. */
export async function findConsentOfGrant(db: Reader, grant_id: string): Promise<McpConsent | undefined> {
  const row = await db.get(ofGrant, grant_id)
  return row && toConsent(row)
}

/** The consent, while it stands. Its time that is over is over for good, whatever the clock says later. */
export async function findStandingConsent(
  db: Reader | Database,
  consent_id: string,
  now: Date,
): Promise<McpConsent | undefined> {
  const consent = await findMcpConsent(db, consent_id)
  return consent && standingOne(db, consent, now)
}

/** The consent that an access token stands for, while both count. Read by each call: a revoke counts at once everywhere. */
export async function findConsentOfToken(
  db: Reader | Database,
  token_hash: string,
  now: Date,
): Promise<McpConsent | undefined> {
  const row = await db.get(ofToken, 'AccessToken', token_hash)
  if (!row) return undefined
  const { token_ends, ...rest } = row
  if (token_ends > now.toISOString()) return standingOne(db, toConsent(rest), now)
  // As above: gone for good.
  if ('transaction' in db) await db.transaction((tx) => tx.run(removeToken, token_hash)).catch(() => {})
  return undefined
}

async function standingOne(
  db: Reader | Database,
  consent: McpConsent,
  now: Date,
): Promise<McpConsent | undefined> {
  if (consent.ended_at !== null) return undefined
  if (consent.standing_until > now.toISOString()) return consent
  if ('transaction' in db)
    await db.transaction((tx) => endMcpConsent(tx, consent.consent_id, 'expired', now)).catch(() => {})
  return undefined
}

/** The newest consents, those that are over included. */
export async function listMcpConsents(db: Reader, limit: number): Promise<McpConsent[]> {
  return (await db.all(page, limit)).map(toConsent)
}

/** Puts a new grant in the place of the former. Answers whether the consent was still open for it. */
export async function renewMcpConsent(
  tx: Transaction,
  {
    consent_id,
    grant_id,
    period_started_at,
  }: Pick<McpConsent, 'consent_id' | 'grant_id' | 'period_started_at'>,
): Promise<boolean> {
  return (await tx.run(renew, grant_id, period_started_at, consent_id)) === 1
}

/** Ends a consent and all that was given out under it. Answers whether it had still been open. */
export async function endMcpConsent(
  tx: Transaction,
  consent_id: string,
  reason: ConsentEnd,
  now: Date,
): Promise<boolean> {
  await removeOauthRecordsOf(tx, consent_id)
  return (await tx.run(end, now.toISOString(), reason, consent_id)) === 1
}

/** Ends every consent that stands; answers how many there were. */
export function endAllMcpConsents(tx: Transaction, now: Date): Promise<number> {
  return tx.run(endAll, now.toISOString())
}

/** Removes consents that have been over since before the moment. */
export async function purgeMcpConsents(tx: Transaction, ended_before: Date): Promise<void> {
  const before = ended_before.toISOString()
  await tx.run(purge, before, before)
}

function toConsent({ terms_json, ...row }: Row): McpConsent {
  return {
    ...row,
    renewals: Number(row.renewals),
    terms: terms_json === null ? undefined : (JSON.parse(terms_json) as ConsentTerms),
  }
}
