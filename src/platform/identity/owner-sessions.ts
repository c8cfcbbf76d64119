import { hashSecret, isSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Database, type Reader, sql, type Transaction } from '../storage/database.ts'
import { stayExpired } from './stay-expired.ts'

/** How somebody proved to be the owner. */
export const SIGN_IN_METHODS = ['set_up', 'link', 'password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/** A session of the owner's as it may be shown: never the secret, never its hash. */
export interface OwnerSession {
  session_id: string
  method: SignInMethod
  client: string
  created_at: string
  last_seen_at: string
  expires_at: string
  ended_at: string | null
  /** When the password was last given in it, after the sign-in. */
  proved_at: string | null
}

/** A session ends when it is not used for this long… */
export const IDLE_SECONDS = 8 * 3_600
/** …and in any case this long after it began. */
export const ABSOLUTE_SECONDS = 7 * 86_400
/** How long after a sign-in what proves the owner (password, passkeys) may be changed. */
const RECENT_SECONDS = 15 * 60
/** Being used is written down no more often than this. */
const SEEN_EVERY_SECONDS = 60

const COLUMNS = 'session_id, method, client, created_at, last_seen_at, expires_at, ended_at, proved_at'
const insert = sql(`INSERT INTO owner_sessions (${COLUMNS}, secret_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
const byId = sql<OwnerSession & { secret_hash: string }>(
  `SELECT ${COLUMNS}, secret_hash FROM owner_sessions WHERE session_id = ?`,
)
const livePage = sql<OwnerSession>(
  `SELECT ${COLUMNS} FROM owner_sessions WHERE ended_at IS NULL AND expires_at > ? AND last_seen_at > ?
   ORDER BY created_at DESC, session_id LIMIT ?`,
)
const touch = sql('UPDATE owner_sessions SET last_seen_at = ? WHERE session_id = ? AND ended_at IS NULL')
const prove = sql('UPDATE owner_sessions SET proved_at = ? WHERE session_id = ? AND ended_at IS NULL')
const end = sql('UPDATE owner_sessions SET ended_at = ? WHERE session_id = ? AND ended_at IS NULL')
const endAll = sql('UPDATE owner_sessions SET ended_at = ? WHERE ended_at IS NULL')
const purge = sql('DELETE FROM owner_sessions WHERE expires_at < ?')

const BEARER = /^kses_([0-9a-f]{16})_[0-9a-f]{64}$/

/** Begins a session. The bearer goes into the owner's cookie; only its hash is stored. */
export async function openOwnerSession(
  tx: Transaction,
  system: System,
  { method, client }: Pick<OwnerSession, 'method' | 'client'>,
): Promise<{ session: OwnerSession; bearer: string }> {
  const id = system.random(8)
  const bearer = `kses_${id}_${system.random(32)}`
  const now = system.now()
  const session: OwnerSession = {
    session_id: `oses_${id}`,
    method,
    client,
    created_at: now.toISOString(),
    last_seen_at: now.toISOString(),
    expires_at: new Date(now.getTime() + ABSOLUTE_SECONDS * 1_000).toISOString(),
    ended_at: null,
    proved_at: null,
  }
  await tx.run(insert, ...Object.values(session), hashSecret(bearer))
  return { session, bearer }
}

/** The live session of a cookie. Read each time, so that signing out counts at once everywhere. */
export async function findLiveOwnerSession(
  db: Reader,
  bearer: string,
  now: Date,
): Promise<OwnerSession | undefined> {
  const id = BEARER.exec(bearer)?.[1]
  if (!id) return undefined
  const found = await db.get(byId, `oses_${id}`)
  if (!found || !isSecret(bearer, found.secret_hash) || found.ended_at) return undefined
  if (found.expires_at <= now.toISOString() || found.last_seen_at <= idleSince(now)) {
    await stayExpired(db, end, now.toISOString(), found.session_id)
    return undefined
  }
  const { secret_hash: _, ...session } = found
  return session
}

/** Notes that a session is in use, now and then. */
export async function noteSeen(db: Database, session: OwnerSession, now: Date): Promise<void> {
  if (now.getTime() - Date.parse(session.last_seen_at) < SEEN_EVERY_SECONDS * 1_000) return
  await db.transaction((tx) => tx.run(touch, now.toISOString(), session.session_id))
}

/** Whether the owner proved themselves a short while ago. */
export function isRecent(
  { created_at, proved_at }: Pick<OwnerSession, 'created_at' | 'proved_at'>,
  now: Date,
): boolean {
  return now.getTime() - Date.parse(proved_at ?? created_at) < RECENT_SECONDS * 1_000
}

/** The live session of this id. */
export async function findOwnerSession(db: Reader, session_id: string): Promise<OwnerSession | undefined> {
  const found = await db.get(byId, session_id)
  if (!found || found.ended_at) return undefined
  const { secret_hash: _, ...session } = found
  return session
}

/** The newest live sessions. */
export function listOwnerSessions(db: Reader, now: Date, limit: number): Promise<OwnerSession[]> {
  return db.all(livePage, now.toISOString(), idleSince(now), limit)
}

/** Notes that the owner has given the password in this session. */
export async function proveSession(tx: Transaction, session_id: string, now: Date): Promise<void> {
  await tx.run(prove, now.toISOString(), session_id)
}

/** Ends one session. */
export async function endOwnerSession(tx: Transaction, session_id: string, now: Date): Promise<boolean> {
  return (await tx.run(end, now.toISOString(), session_id)) === 1
}

/** Ends every session; answers how many there were. */
export function endAllOwnerSessions(tx: Transaction, now: Date): Promise<number> {
  return tx.run(endAll, now.toISOString())
}

/** Removes sessions that ended before the moment. */
export async function purgeOwnerSessions(tx: Transaction, ended_before: Date): Promise<void> {
  await tx.run(purge, ended_before.toISOString())
}

function idleSince(now: Date): string {
  return new Date(now.getTime() - IDLE_SECONDS * 1_000).toISOString()
}
