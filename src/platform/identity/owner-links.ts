import { hashSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { stayExpired } from './stay-expired.ts'

/** A link signs in once, and only for this long after it was made. */
const LINK_TTL_SECONDS = 15 * 60

const LINK = /^klink_[0-9a-f]{64}$/

const insert = sql(
  'INSERT INTO owner_links (link_hash, link_id, created_at, created_by, expires_at, used_at) VALUES (?, ?, ?, ?, ?, NULL)',
)
const unused = sql<{ link_id: string; expires_at: string }>(
  'SELECT link_id, expires_at FROM owner_links WHERE link_hash = ? AND used_at IS NULL',
)
const endExpired = sql('UPDATE owner_links SET used_at = ? WHERE link_id = ? AND used_at IS NULL')
const use = sql(
  'UPDATE owner_links SET used_at = ? WHERE link_hash = ? AND used_at IS NULL AND expires_at > ?',
)
const endAll = sql('UPDATE owner_links SET used_at = ? WHERE used_at IS NULL AND expires_at > ?')
const purge = sql('DELETE FROM owner_links WHERE expires_at < ?')

/** Makes a one-time link's secret, of which only a hash is stored. */
export async function createLink(
  tx: Transaction,
  system: System,
  created_by: string,
): Promise<{ link_id: string; secret: string; expires_at: string }> {
  const now = system.now()
  const secret = `klink_${system.random(32)}`
  const link_id = `olnk_${system.random(8)}`
  const expires_at = new Date(now.getTime() + LINK_TTL_SECONDS * 1_000).toISOString()
  await tx.run(insert, hashSecret(secret), link_id, now.toISOString(), created_by, expires_at)
  return { link_id, secret, expires_at }
}

/** Whether a link would still sign in. */
export async function isLiveLink(db: Reader, secret: string, now: Date): Promise<boolean> {
  if (!LINK.test(secret)) return false
  const found = await db.get(unused, hashSecret(secret))
  if (!found) return false
  if (found.expires_at > now.toISOString()) return true
  await stayExpired(db, endExpired, found.expires_at, found.link_id)
  return false
}

/** Uses a link up. Answers whether it was one that still could be. */
export async function useLink(tx: Transaction, secret: string, now: Date): Promise<boolean> {
  if (!LINK.test(secret)) return false
  const at = now.toISOString()
  return (await tx.run(use, at, hashSecret(secret), at)) === 1
}

/** Ends every link that could still be used; answers how many there were. */
export function endAllLinks(tx: Transaction, now: Date): Promise<number> {
  const at = now.toISOString()
  return tx.run(endAll, at, at)
}

/** Removes links that ended before the moment. */
export async function purgeLinks(tx: Transaction, ended_before: Date): Promise<void> {
  await tx.run(purge, ended_before.toISOString())
}
