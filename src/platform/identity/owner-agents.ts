import { hashSecret, isSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { stayExpired } from './stay-expired.ts'

/** An agent that the owner trusts with the owner's surface: never its secret, never the hash. */
export interface OwnerAgent {
  agent_id: string
  /** What the program calls itself by; approved by the owner, proven by nothing else. */
  client_id: string
  client_name: string
  created_at: string
  /** The session in which the owner approved it. */
  approved_by: string
  expires_at: string
  revoked_at: string | null
}

/** An approval lasts this long; after it the owner is asked again. */
export const AGENT_TTL_SECONDS = 90 * 86_400

/** Bearers of owner agents begin like this. */
export const AGENT_PREFIX = 'kown_'
const BEARER = /^kown_([0-9a-f]{16})_[0-9a-f]{64}$/

const COLUMNS = 'agent_id, client_id, client_name, created_at, approved_by, expires_at, revoked_at'
const insert = sql(`INSERT INTO owner_agents (${COLUMNS}, secret_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
const bySecret = sql<OwnerAgent & { secret_hash: string }>(
  `SELECT ${COLUMNS}, secret_hash FROM owner_agents WHERE agent_id = ?`,
)
const byId = sql<OwnerAgent>(`SELECT ${COLUMNS} FROM owner_agents WHERE agent_id = ?`)
const page = sql<OwnerAgent>(`SELECT ${COLUMNS} FROM owner_agents ORDER BY created_at DESC, agent_id LIMIT ?`)
const revoke = sql('UPDATE owner_agents SET revoked_at = ? WHERE agent_id = ? AND revoked_at IS NULL')

/** Makes an agent's bearer, of which only a hash is stored. */
export async function createOwnerAgent(
  tx: Transaction,
  system: System,
  wanted: Pick<OwnerAgent, 'client_id' | 'client_name' | 'approved_by'>,
): Promise<{ agent: OwnerAgent; bearer: string }> {
  const id = system.random(8)
  const bearer = `${AGENT_PREFIX}${id}_${system.random(32)}`
  const now = system.now()
  const agent: OwnerAgent = {
    agent_id: `oagt_${id}`,
    client_id: wanted.client_id,
    client_name: wanted.client_name,
    created_at: now.toISOString(),
    approved_by: wanted.approved_by,
    expires_at: new Date(now.getTime() + AGENT_TTL_SECONDS * 1_000).toISOString(),
    revoked_at: null,
  }
  await tx.run(insert, ...Object.values(agent), hashSecret(bearer))
  return { agent, bearer }
}

/** The live agent of a bearer. Read each time, so that a revoke counts from the next call everywhere. */
export async function findLiveOwnerAgent(
  db: Reader,
  bearer: string,
  now: Date,
): Promise<OwnerAgent | undefined> {
  const id = BEARER.exec(bearer)?.[1]
  if (!id) return undefined
  const found = await db.get(bySecret, `oagt_${id}`)
  if (!found || !isSecret(bearer, found.secret_hash) || found.revoked_at) return undefined
  if (found.expires_at <= now.toISOString()) {
    await stayExpired(db, revoke, found.expires_at, found.agent_id)
    return undefined
  }
  const { secret_hash: _, ...agent } = found
  return agent
}

/** The newest agents, revoked and expired ones included. */
export function listOwnerAgents(db: Reader, limit: number): Promise<OwnerAgent[]> {
  return db.all(page, limit)
}

/** Revokes an agent; a second time changes nothing. Answers undefined for an unknown one. */
export async function revokeOwnerAgent(
  tx: Transaction,
  agent_id: string,
  now: Date,
): Promise<OwnerAgent | undefined> {
  await tx.run(revoke, now.toISOString(), agent_id)
  return tx.get(byId, agent_id)
}
