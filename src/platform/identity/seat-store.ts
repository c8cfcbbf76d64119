import { hashSecret, isSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import type { ToolboxSeat } from './caller.ts'
import { stayExpired } from './stay-expired.ts'

/** A toolbox session as its owner may see it: never the secret, never its hash. */
export interface SessionRecord {
  session_id: string
  vault_id: string
  agent_id: string
  role: string
  project_root: string
  service_root: string
  isolation_level: string | null
  /** A JSON list; null where any whitelisted command may be run. */
  allowed_commands: string | null
  created_at: string
  created_by: string
  expires_at: string
  revoked_at: string | null
}

const COLUMNS =
  'session_id, vault_id, agent_id, role, project_root, service_root, isolation_level, allowed_commands, created_at, created_by, expires_at, revoked_at'
const insert = sql(
  `INSERT INTO toolbox_sessions (${COLUMNS}, secret_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const byId = sql<SessionRecord & { secret_hash: string }>(
  `SELECT ${COLUMNS}, secret_hash FROM toolbox_sessions WHERE session_id = ?`,
)
const inVault = sql<SessionRecord>(
  `SELECT ${COLUMNS} FROM toolbox_sessions WHERE vault_id = ? AND session_id = ?`,
)
const page = sql<SessionRecord>(
  `SELECT ${COLUMNS} FROM toolbox_sessions WHERE vault_id = ? ORDER BY created_at DESC, session_id LIMIT ?`,
)
const revoke = sql(
  'UPDATE toolbox_sessions SET revoked_at = ? WHERE vault_id = ? AND session_id = ? AND revoked_at IS NULL',
)

const revokeAll = sql('UPDATE toolbox_sessions SET revoked_at = ? WHERE revoked_at IS NULL')

const endExpired = sql(
  'UPDATE toolbox_sessions SET revoked_at = ? WHERE session_id = ? AND revoked_at IS NULL',
)

/** Bearers of toolbox sessions begin like this. */
export const SESSION_PREFIX = 'ktool_'
const BEARER = /^ktool_([0-9a-f]{16})_[0-9a-f]{64}$/

/** Makes a session and its one-time bearer, of which only a hash is stored. */
export async function createSession(
  tx: Transaction,
  system: System,
  wanted: Omit<SessionRecord, 'session_id' | 'created_at' | 'revoked_at' | 'agent_id'> & {
    agent_id?: string
  },
): Promise<{ session: SessionRecord; bearer: string }> {
  const id = system.random(8)
  const bearer = `${SESSION_PREFIX}${id}_${system.random(32)}`
  const session_id = `tses_${id}`
  const session: SessionRecord = {
    session_id,
    vault_id: wanted.vault_id,
    agent_id: wanted.agent_id ?? session_id,
    role: wanted.role,
    project_root: wanted.project_root,
    service_root: wanted.service_root,
    isolation_level: wanted.isolation_level,
    allowed_commands: wanted.allowed_commands,
    created_at: system.now().toISOString(),
    created_by: wanted.created_by,
    expires_at: wanted.expires_at,
    revoked_at: null,
  }
  await tx.run(insert, ...Object.values(session), hashSecret(bearer))
  return { session, bearer }
}

/** The live session of a bearer. Read each time, so that a revoke counts at once everywhere. */
export async function findLiveSession(
  db: Reader,
  bearer: string,
  now: Date,
): Promise<SessionRecord | undefined> {
  const id = BEARER.exec(bearer)?.[1]
  if (!id) return undefined
  const found = await db.get(byId, `tses_${id}`)
  if (!found || !isSecret(bearer, found.secret_hash) || found.revoked_at) return undefined
  if (found.expires_at > now.toISOString()) return found
  await stayExpired(db, endExpired, found.expires_at, found.session_id)
}

/** Where the agent of a session sits. */
export function seatOf(session: SessionRecord): ToolboxSeat {
  const { project_root, service_root, role, agent_id, isolation_level, allowed_commands } = session
  return {
    project_root,
    service_root,
    role,
    agent_id,
    ...(isolation_level !== null && { isolation_level }),
    ...(allowed_commands !== null && { allowed_commands: JSON.parse(allowed_commands) as string[] }),
  }
}

/** The newest sessions of a vault, revoked and expired ones included. */
export function listSessions(db: Reader, vault_id: string, limit: number): Promise<SessionRecord[]> {
  return db.all(page, vault_id, limit)
}

/** Revokes a session of the vault; a second time changes nothing. Answers undefined for an unknown one. */
export async function revokeSession(
  tx: Transaction,
  vault_id: string,
  session_id: string,
  now: Date,
): Promise<SessionRecord | undefined> {
  await tx.run(revoke, now.toISOString(), vault_id, session_id)
  return tx.get(inVault, vault_id, session_id)
}

/** Revokes every session of every vault; answers how many there were. */
export function revokeAllSessions(tx: Transaction, now: Date): Promise<number> {
  return tx.run(revokeAll, now.toISOString())
}
