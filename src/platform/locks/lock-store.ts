import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import type { Lock, LockKind } from './lock.ts'

/** So many locks are kept at once; who needs more locks everything. */
export const LOCK_LIMIT = 10_000

const COLUMNS = 'kind, id, reason, locked_at, locked_by'
const insert = sql(
  `INSERT INTO hub_locks (${COLUMNS}) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (kind, id) DO UPDATE SET reason = COALESCE(excluded.reason, hub_locks.reason)`,
)
const remove = sql('DELETE FROM hub_locks WHERE kind = ? AND id = ?')
const byId = sql<Lock>(`SELECT ${COLUMNS} FROM hub_locks WHERE kind = ? AND id = ?`)
const every = sql<Lock>(`SELECT ${COLUMNS} FROM hub_locks LIMIT ?`)
const newest = sql<Lock>(
  `SELECT ${COLUMNS} FROM hub_locks WHERE (locked_at, kind, id) < (?, ?, ?)
   ORDER BY locked_at DESC, kind DESC, id DESC LIMIT ?`,
)
const count = sql<{ count: number }>('SELECT COUNT(*) AS count FROM hub_locks')
const readRevision = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'locks_revision'`)
const writeRevision = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('locks_revision', ?)
   ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)

/** Keeps a lock; one that is there already keeps its time and gets a new reason. Undefined when there are too many. */
export async function insertLock(tx: Transaction, system: System, lock: Lock): Promise<Lock | undefined> {
  const known = await tx.get(byId, lock.kind, lock.id)
  if (!known && lock.kind !== 'all' && ((await tx.get(count))?.count ?? 0) >= LOCK_LIMIT) return undefined
  await tx.run(insert, lock.kind, lock.id, lock.reason, lock.locked_at, lock.locked_by)
  await tx.run(writeRevision, system.random(8))
  return tx.get(byId, lock.kind, lock.id)
}

/** Takes a lock away and answers what it was; undefined when there was none. */
export async function deleteLock(
  tx: Transaction,
  system: System,
  kind: LockKind,
  id: string,
): Promise<Lock | undefined> {
  const found = await tx.get(byId, kind, id)
  if (!found) return undefined
  await tx.run(remove, kind, id)
  await tx.run(writeRevision, system.random(8))
  return found
}

/** All locks, in any order and whatever their times say: each of them counts. */
export function readLocks(db: Reader, limit: number): Promise<Lock[]> {
  return db.all(every, limit)
}

/** Where in the list of locks a page begins: after this one. */
export type LockPlace = Pick<Lock, 'locked_at' | 'id'> & { readonly kind: string }

/** Before the newest lock: sorts after every moment. */
const BEFORE_NEWEST: LockPlace = { locked_at: '~', kind: '~', id: '~' }

/** The newest locks, from a place on. */
export function listLocks(db: Reader, limit: number, after = BEFORE_NEWEST): Promise<Lock[]> {
  return db.all(newest, after.locked_at, after.kind, after.id, limit)
}

/** How many locks there are. */
export async function countLocks(db: Reader): Promise<number> {
  return (await db.get(count))?.count ?? 0
}

/** Changes with every change of the locks, whichever process makes it. */
export async function findLocksRevision(db: Reader): Promise<string> {
  return (await db.get(readRevision))?.value ?? 'none'
}
