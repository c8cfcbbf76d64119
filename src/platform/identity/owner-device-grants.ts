import { hashSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { makeUserCode } from './owner-user-code.ts'
import { stayExpired } from './stay-expired.ts'

/**
 * Wishes for MCP have states of their own: a program of before, which knows nothing of consents, leaves them alone
 * and makes no owner agent of them.
 */
export type DeviceState = 'pending' | 'approved' | 'denied' | 'used' | 'mcp_pending' | 'mcp_approved'

/** A program's wish to become an owner agent, or to come in at MCP (RFC 8628), without its codes. */
export interface DeviceGrant {
  grant_id: string
  client_id: string
  client_name: string
  state: DeviceState
  created_at: string
  expires_at: string
  interval_seconds: number
  last_polled_at: string | null
  decided_by: string | null
  /** What the owner allowed it at MCP. */
  consent_id: string | null
}

/** Codes live this long… */
export const DEVICE_TTL_SECONDS = 300
/** …and are asked about no more often than this, at first. */
export const POLL_INTERVAL_SECONDS = 5
/** Who asks too soon must wait so much longer from then on. */
export const SLOW_DOWN_SECONDS = 5
const INTERVAL_MAX_SECONDS = DEVICE_TTL_SECONDS
/** Wishes that may wait for the owner at once. */
const PENDING_LIMIT = 100

const COLUMNS =
  'grant_id, client_id, client_name, state, created_at, expires_at, interval_seconds, last_polled_at, decided_by, consent_id'
const insert = sql(
  `INSERT INTO owner_device_grants (${COLUMNS}, device_code_hash, user_code_hash)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const byDeviceCode = sql<DeviceGrant>(`SELECT ${COLUMNS} FROM owner_device_grants WHERE device_code_hash = ?`)
const byUserCode = sql<DeviceGrant>(
  `SELECT ${COLUMNS} FROM owner_device_grants WHERE user_code_hash = ? AND state = ?`,
)
const pendingCount = sql<{ count: number }>(
  `SELECT COUNT(*) AS count FROM owner_device_grants WHERE state IN ('pending', 'mcp_pending') AND expires_at > ?`,
)
const allWaiting = sql<DeviceGrant>(
  `SELECT ${COLUMNS} FROM owner_device_grants WHERE state IN ('pending', 'mcp_pending') AND expires_at > ?
   ORDER BY created_at DESC, grant_id LIMIT ?`,
)
const notePoll = sql(
  'UPDATE owner_device_grants SET last_polled_at = ?, interval_seconds = ? WHERE grant_id = ?',
)
const decide = sql(
  `UPDATE owner_device_grants SET state = ?, decided_by = ?
   WHERE grant_id = ? AND state = 'pending' AND expires_at > ?`,
)
const decideForMcp = sql(
  `UPDATE owner_device_grants SET state = ?, consent_id = ?
   WHERE grant_id = ? AND state = 'mcp_pending' AND expires_at > ?`,
)
const use = sql(`UPDATE owner_device_grants SET state = 'used' WHERE grant_id = ? AND state = ?`)
/** Stands in the place of the end of a wish that was refused as expired: no clock shows an earlier moment. */
const ENDED_BY_TIME = '0001-01-01T00:00:00.000Z'
const endExpired = sql('UPDATE owner_device_grants SET expires_at = ? WHERE grant_id = ?')
const takeBack = sql(
  `UPDATE owner_device_grants SET state = 'denied' WHERE state IN ('approved', 'mcp_approved')`,
)
const purge = sql('DELETE FROM owner_device_grants WHERE expires_at < ?')

/** Notes a wish and makes its two codes, of which only hashes are stored. Answers undefined when too many wait. */
export async function createDeviceGrant(
  tx: Transaction,
  system: System,
  wanted: Pick<DeviceGrant, 'client_id' | 'client_name'>,
  state: 'pending' | 'mcp_pending' = 'pending',
): Promise<{ grant: DeviceGrant; device_code: string; user_code: string } | undefined> {
  const now = system.now()
  const waiting = await tx.get(pendingCount, now.toISOString())
  if (Number(waiting?.count ?? 0) >= PENDING_LIMIT) return undefined
  const device_code = `kdev_${system.random(32)}`
  const user_code = makeUserCode(system)
  const grant: DeviceGrant = {
    grant_id: `odev_${system.random(8)}`,
    client_id: wanted.client_id,
    client_name: wanted.client_name,
    state,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + DEVICE_TTL_SECONDS * 1_000).toISOString(),
    interval_seconds: POLL_INTERVAL_SECONDS,
    last_polled_at: null,
    decided_by: null,
    consent_id: null,
  }
  await tx.run(insert, ...Object.values(grant), hashSecret(device_code), hashUserCode(user_code))
  return { grant, device_code, user_code }
}

/** The programs that wait for the owner with a code, the newest first. */
export function listWaitingDevices(db: Reader, now: Date, limit: number): Promise<DeviceGrant[]> {
  return db.all(allWaiting, now.toISOString(), limit)
}

/** Why a program that asks gets nothing yet, in the words of RFC 8628. */
export type PollRefusal =
  | 'invalid_grant'
  | 'expired_token'
  | 'slow_down'
  | 'authorization_pending'
  | 'access_denied'

/** Notes that a program asks, and answers what it may be told: its approved wish, or why there is none. */
export async function pollDeviceGrant(
  tx: Transaction,
  device_code: string,
  client_id: string,
  now: Date,
): Promise<DeviceGrant | PollRefusal> {
  const grant = await tx.get(byDeviceCode, hashSecret(device_code))
  if (!grant || grant.client_id !== client_id || grant.state === 'used') return 'invalid_grant'
  if (grant.expires_at <= now.toISOString()) {
    await tx.run(endExpired, ENDED_BY_TIME, grant.grant_id)
    return 'expired_token'
  }
  const isTooSoon =
    grant.last_polled_at !== null &&
    now.getTime() - Date.parse(grant.last_polled_at) < grant.interval_seconds * 1_000
  const slower = Math.min(grant.interval_seconds + SLOW_DOWN_SECONDS, INTERVAL_MAX_SECONDS)
  await tx.run(notePoll, now.toISOString(), isTooSoon ? slower : grant.interval_seconds, grant.grant_id)
  // Slowing down is for whoever still waits: what the owner has decided is told however soon it is asked for.
  if (grant.state === 'approved' || grant.state === 'mcp_approved') return grant
  if (grant.state === 'denied') return 'access_denied'
  return isTooSoon ? 'slow_down' : 'authorization_pending'
}

/** The waiting wish behind a code that a person typed. */
export async function findDeviceGrant(
  db: Reader,
  user_code: string,
  now: Date,
  state: 'pending' | 'mcp_pending' = 'pending',
): Promise<DeviceGrant | undefined> {
  const found = await db.get(byUserCode, hashUserCode(user_code), state)
  if (!found || found.expires_at > now.toISOString()) return found
  await stayExpired(db, endExpired, ENDED_BY_TIME, found.grant_id)
}

/** Whether a device code is of a program that wants to come in at MCP. */
export async function isForMcp(db: Reader, device_code: string): Promise<boolean> {
  const grant = await db.get(byDeviceCode, hashSecret(device_code))
  return grant !== undefined && (grant.state.startsWith('mcp_') || grant.consent_id !== null)
}

/** Writes the owner's word for MCP down: a consent, or no. Answers whether the wish was still waiting for it. */
export async function useForConsent(
  tx: Transaction,
  grant_id: string,
  consent_id: string | undefined,
  now: Date,
): Promise<boolean> {
  const state: DeviceState = consent_id === undefined ? 'denied' : 'mcp_approved'
  return (await tx.run(decideForMcp, state, consent_id ?? null, grant_id, now.toISOString())) === 1
}

/** Writes the owner's word down; answers whether the wish was still waiting for it. */
export async function decideDeviceGrant(
  tx: Transaction,
  grant_id: string,
  decision: { state: 'approved' | 'denied'; decided_by: string },
  now: Date,
): Promise<boolean> {
  return (await tx.run(decide, decision.state, decision.decided_by, grant_id, now.toISOString())) === 1
}

/** Uses an approval up: it gives one bearer. Answers undefined where there is none to use. */
export async function useDeviceGrant(
  tx: Transaction,
  device_code: string,
  client_id: string,
  now: Date,
  state: 'approved' | 'mcp_approved' = 'approved',
): Promise<DeviceGrant | undefined> {
  const grant = await tx.get(byDeviceCode, hashSecret(device_code))
  if (!grant || grant.client_id !== client_id || grant.expires_at <= now.toISOString()) return undefined
  return (await tx.run(use, grant.grant_id, state)) === 1 ? grant : undefined
}

/** Takes back every approval that no program has fetched its bearer for. */
export async function takeBackApprovals(tx: Transaction): Promise<void> {
  await tx.run(takeBack)
}

/** Removes wishes that ended before the moment. */
export async function purgeDeviceGrants(tx: Transaction, ended_before: Date): Promise<void> {
  await tx.run(purge, ended_before.toISOString())
}

function hashUserCode(user_code: string): string {
  return hashSecret(`user_code:${user_code}`)
}
