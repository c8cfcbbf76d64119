import { type Reader, type SqlValue, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { Scope } from '../bundle/bundle-vocabulary.ts'
import { scopeValues } from '../flow-store.ts'
import { GRANT_SCHEMA, type Grant, MINTED_PINS } from './grant-record.ts'

interface GrantRow {
  grant_id: string
  vault_id: string
  scope: Scope
  flow_id: string
  flow_version: string
  allowed_tools: string
  expires_at: string
  issued_at: string
  revoked_at: string | null
  actor_hash: string
  max_invocations: number
  invocation_count: number
  tool_pins: string | null
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const COLUMNS = `grant_id, vault_id, scope, flow_id, flow_version, allowed_tools, expires_at, issued_at,
  revoked_at, actor_hash, max_invocations, invocation_count, tool_pins`
const insert = sql(
  `INSERT INTO flow_external_grants (${COLUMNS}, grant_bearer_hash)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const byBearer = sql<GrantRow>(
  `SELECT ${COLUMNS} FROM flow_external_grants WHERE grant_bearer_hash = ? AND vault_id = ?`,
)
const byId = sql<GrantRow>(`SELECT ${COLUMNS} FROM flow_external_grants WHERE grant_id = ? AND vault_id = ?`)
const PAGE_END = 'AND scope IN (?, ?, ?) ORDER BY issued_at DESC, grant_id DESC LIMIT ?'
const ofVault = sql<GrantRow>(`SELECT ${COLUMNS} FROM flow_external_grants WHERE vault_id = ? ${PAGE_END}`)
const ofFlow = sql<GrantRow>(
  `SELECT ${COLUMNS} FROM flow_external_grants WHERE vault_id = ? AND flow_id = ? ${PAGE_END}`,
)
/** Stands where the moment of the revoke stands for a grant that was refused as expired: no clock shows it. */
const ENDED_BY_TIME = '0001-01-01T00:00:00.000Z'
const revoke = sql('UPDATE flow_external_grants SET revoked_at = ? WHERE grant_id = ? AND revoked_at IS NULL')
const revokeEnded = sql(
  `UPDATE flow_external_grants SET revoked_at = ? WHERE grant_id = ? AND revoked_at = '${ENDED_BY_TIME}'`,
)
const endExpired = sql(
  `UPDATE flow_external_grants SET revoked_at = '${ENDED_BY_TIME}' WHERE grant_id = ? AND revoked_at IS NULL`,
)
// One statement decides and counts, so that no two processes can both take the last place.
const countInvocation = sql(
  `UPDATE flow_external_grants SET invocation_count = invocation_count + 1
   WHERE grant_id = ? AND revoked_at IS NULL AND expires_at >= ?
     AND (max_invocations = 0 OR invocation_count < max_invocations)`,
)
const uncountInvocation = sql(
  'UPDATE flow_external_grants SET invocation_count = invocation_count - 1 WHERE grant_id = ? AND invocation_count > 0',
)
// Likewise one statement: no two mints can both take the last place in the table.
const countStored = sql(
  `INSERT INTO flow_external_grant_counts (vault_id, stored) VALUES (?, 1)
   ON CONFLICT (vault_id) DO UPDATE SET stored = flow_external_grant_counts.stored + 1
   WHERE flow_external_grant_counts.stored < ?`,
)
const freePlaces = sql('UPDATE flow_external_grant_counts SET stored = stored - ? WHERE vault_id = ?')
const deleteExpired = sql<{ revoked_at: string | null }>(
  `DELETE FROM flow_external_grants WHERE grant_id IN
   (SELECT grant_id FROM flow_external_grants WHERE vault_id = ? AND expires_at < ? ORDER BY expires_at LIMIT ?)
   RETURNING revoked_at`,
)
// Those without a live one, too: what was revoked goes as well.
const vaultsWithGrants = sql<{ vault_id: string }>(
  'SELECT vault_id FROM flow_external_grant_counts ORDER BY vault_id',
)

/** Stores a new grant, whose place was taken before; of its bearer only the hash. `pins` are those of its tools now. */
export async function insertGrant(
  tx: Transaction,
  grant: Grant,
  bearerHash: string,
  pins?: Readonly<Record<string, string>>,
): Promise<void> {
  const { schema: _schema, allowed_harnesses: _harnesses, allowed_tools, ...rest } = grant
  const tool_pins = pins ? JSON.stringify(pins) : null
  const row: GrantRow = { ...rest, allowed_tools: JSON.stringify(allowed_tools), tool_pins }
  const names = COLUMNS.split(',').map((name) => name.trim()) as (keyof GrantRow)[]
  await tx.run(insert, ...names.map((name): SqlValue => row[name]), bearerHash)
}

/** The grant a bearer's hash belongs to, in this vault only. */
export async function findGrantByBearer(db: Reader, vault_id: string, bearerHash: string) {
  const row = await db.get(byBearer, bearerHash, vault_id)
  return row && toGrant(row)
}

export async function findGrant(db: Reader, vault_id: string, grant_id: string): Promise<Grant | undefined> {
  const row = await db.get(byId, grant_id, vault_id)
  return row && toGrant(row)
}

/** The newest grants of a vault in the given scopes, revoked ones included. */
export async function listGrants(
  db: Reader,
  wanted: { vault_id: string; flow_id: string | undefined; scopes: readonly Scope[]; limit: number },
): Promise<Grant[]> {
  const end = [...scopeValues(wanted.scopes), wanted.limit]
  const rows =
    wanted.flow_id === undefined
      ? await db.all(ofVault, wanted.vault_id, ...end)
      : await db.all(ofFlow, wanted.vault_id, wanted.flow_id, ...end)
  return rows.map(toGrant)
}

/** Marks a grant as revoked for good; the first moment stays. Its place is free from then on. */
export async function revokeGrant(
  tx: Transaction,
  { vault_id, grant_id }: Pick<Grant, 'vault_id' | 'grant_id'>,
  now: Date,
): Promise<void> {
  if ((await tx.run(revoke, now.toISOString(), grant_id)) > 0) await tx.run(freePlaces, 1, vault_id)
  else await tx.run(revokeEnded, now.toISOString(), grant_id)
}

/** Ends a grant that was refused as expired, so that no clock brings it to life again. Its place is free from then on. */
export async function endExpiredGrant(
  tx: Transaction,
  { vault_id, grant_id }: Pick<Grant, 'vault_id' | 'grant_id'>,
): Promise<void> {
  if ((await tx.run(endExpired, grant_id)) > 0) await tx.run(freePlaces, 1, vault_id)
}

/** Marks a grant that was refused as expired. It goes nowhere: to its holder and its owner it is an expired one. */
const ENDED = Symbol('ended by time')

/** Whether the grant was refused as expired before. */
export function wasEndedByTime(grant: Grant): boolean {
  return ENDED in grant
}

/** Takes one of the grant's invocations. Answers false when none is left. */
export async function takeInvocation(tx: Transaction, grant_id: string, now: Date): Promise<boolean> {
  return (await tx.run(countInvocation, grant_id, now.toISOString())) === 1
}

/** Gives an invocation back that never left the hub. */
export async function returnInvocation(tx: Transaction, grant_id: string): Promise<void> {
  await tx.run(uncountInvocation, grant_id)
}

/** Takes a place for one more grant. Answers false when `limit` of the vault's have theirs already. */
export async function takePlace(tx: Transaction, vault_id: string, limit: number): Promise<boolean> {
  return limit > 0 && (await tx.run(countStored, vault_id, limit)) === 1
}

/** Removes at most `limit` grants that expired before the moment. Answers how many went, and how many places that freed. */
export async function deleteExpiredGrants(
  tx: Transaction,
  vault_id: string,
  before: Date,
  limit: number,
): Promise<{ gone: number; freed: number }> {
  const gone = await tx.all(deleteExpired, vault_id, before.toISOString(), limit)
  // A revoked one gave its place back when it was revoked.
  const freed = gone.filter(({ revoked_at }) => revoked_at === null).length
  if (freed > 0) await tx.run(freePlaces, freed, vault_id)
  return { gone: gone.length, freed }
}

export async function listGrantVaults(db: Reader): Promise<string[]> {
  return (await db.all(vaultsWithGrants)).map((row) => row.vault_id)
}

/** A grant whose end nobody can read counts as expired from the start; it can be listed and revoked like any other. */
function toGrant(row: GrantRow): Grant {
  const isEnded = row.revoked_at === ENDED_BY_TIME
  return {
    schema: GRANT_SCHEMA,
    grant_id: row.grant_id,
    vault_id: row.vault_id,
    scope: row.scope,
    flow_id: row.flow_id,
    flow_version: row.flow_version,
    allowed_tools: JSON.parse(row.allowed_tools) as string[],
    allowed_harnesses: ['agent_bundle'],
    expires_at: isMoment(row.expires_at) ? row.expires_at : row.issued_at,
    issued_at: row.issued_at,
    revoked_at: isEnded ? null : row.revoked_at,
    ...(isEnded && { [ENDED]: true }),
    ...(row.tool_pins && { [MINTED_PINS]: JSON.parse(row.tool_pins) as Record<string, string> }),
    actor_hash: row.actor_hash,
    max_invocations: row.max_invocations,
    invocation_count: row.invocation_count,
  }
}

function isMoment(text: string): boolean {
  return MOMENT.test(text) && !Number.isNaN(Date.parse(text))
}
