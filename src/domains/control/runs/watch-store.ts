import type { Hub } from '../../../operations/hub.ts'
import { sql, type Transaction } from '../../../platform/storage/database.ts'

/** Sources that one hub watches at once. */
export const WATCH_LIMIT = 200
/** How long a hub may be silent before another watches in its place. */
const LEASE_MS = 20_000
/** Renewed only when so much of it is gone: a lease costs a write. */
const RENEW_MS = 10_000
const LET_GO = '0'

const watchable = sql<{ connection_id: string }>(
  `SELECT c.connection_id FROM connections c
   LEFT JOIN connection_watches w ON w.connection_id = c.connection_id
   WHERE c.source_kind = 'local_collector' AND c.status = 'active'
     AND (w.lease_until IS NULL OR w.lease_until < ? OR w.owner = ?)
   ORDER BY c.connection_id LIMIT ?`,
)
const held = sql<{ owner: string; lease_until: string }>(
  'SELECT owner, lease_until FROM connection_watches WHERE connection_id = ?',
)
const claim = sql(
  `INSERT INTO connection_watches (connection_id, owner, lease_until) VALUES (?, ?, ?)
   ON CONFLICT (connection_id) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
   WHERE connection_watches.lease_until < ? OR connection_watches.owner = excluded.owner`,
)
const release = sql('UPDATE connection_watches SET lease_until = ? WHERE owner = ?')

/** Connections on this machine's own sources that nobody else watches. */
export function listWatchable({ db, system }: Hub, owner: string): Promise<{ connection_id: string }[]> {
  return db.all(watchable, system.now().toISOString(), owner, WATCH_LIMIT)
}

/** Takes or keeps the watch of a source. Answers false where another hub has it. */
export async function claimWatch(
  tx: Transaction,
  { system }: Hub,
  connection_id: string,
  owner: string,
): Promise<boolean> {
  const now = system.now()
  const current = await tx.get(held, connection_id)
  const isFresh = current && Date.parse(current.lease_until) - now.getTime() > LEASE_MS - RENEW_MS
  if (current?.owner === owner && isFresh) return true
  const until = new Date(now.getTime() + LEASE_MS).toISOString()
  return (await tx.run(claim, connection_id, owner, until, now.toISOString())) === 1
}

/** Lets other hubs watch at once what this one did. */
export async function releaseWatches(tx: Transaction, owner: string): Promise<void> {
  await tx.run(release, LET_GO, owner)
}
