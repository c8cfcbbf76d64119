import type { Database } from '../storage/database.ts'
import { type Lock, UNREADABLE_LOCK } from './lock.ts'
import { findLocksRevision, LOCK_LIMIT, readLocks } from './lock-store.ts'
import { type LockTable, lockTable } from './lock-table.ts'

/** What every call asks before it is carried out. */
export interface Locks {
  /**
   * The lock that stops a call by any of these ids (agent, credential, grant) in this service's folder.
   * Locks that cannot be read stop everything.
   */
  find(agents: string | readonly string[] | undefined, service?: string): Promise<Lock | undefined>
}

/** A table that stops everything. */
const UNREADABLE: LockTable = { find: () => UNREADABLE_LOCK }

/**
 * The locks of a database. Each question reads their revision, one small row, so that a change of any process counts at
 * once; the locks themselves are read only when it is another one.
 */
export function openLocks(db: Database): Locks {
  let known: { revision: string; table: LockTable } | undefined
  const current = async () => {
    try {
      const revision = await findLocksRevision(db)
      if (known?.revision === revision) return known.table
      const table = await readTable(db)
      known = { revision, table }
      return table
    } catch {
      return UNREADABLE
    }
  }
  return {
    async find(agents = [], service) {
      return (await current()).find(typeof agents === 'string' ? [agents] : agents, service)
    },
  }
}

async function readTable(db: Database): Promise<LockTable> {
  // A lock on everything may come on top of as many as there may be.
  const locks = await readLocks(db, LOCK_LIMIT * 2)
  return locks.length < LOCK_LIMIT * 2 ? lockTable(locks) : UNREADABLE
}
