import { currentTurn } from '../basics/turn.ts'
import type { Database } from '../storage/database.ts'
import { type Lock, UNREADABLE_LOCK } from './lock.ts'
import { findLocksRevision, LOCK_LIMIT, readLocks } from './lock-store.ts'
import { type LockTable, lockTable } from './lock-table.ts'

/** What every call asks before it is carried out. */
export interface Locks {
  /**
   * The lock that stops a call by any of these ids (agent, credential, grant) in this service's folder.
   * Locks that cannot be read stop everything. Answers at once where this turn's locks are known already.
   */
  find(
    agents: string | readonly string[] | undefined,
    service?: string,
  ): Promise<Lock | undefined> | Lock | undefined
  /** Forgets what was read in this turn, after a change of this process. */
  refresh(): void
}

/** A table that stops everything. */
const UNREADABLE: LockTable = { find: () => UNREADABLE_LOCK }

/** The locks as one turn of the event loop sees them. */
interface Turn {
  readonly number: number
  readonly reading: Promise<LockTable>
  table?: LockTable
}

/**
 * The locks of a database. Calls of one turn of the event loop share one small read, which tells whether
 * anything has changed; a change of any process counts from the next request that is read.
 */
export function openLocks(db: Database): Locks {
  const read = tableReader(db)
  let turn: Turn | undefined
  const refresh = () => void (turn = undefined)
  const current = () => {
    if (turn && turn.number === currentTurn()) return turn
    const started: Turn = { number: currentTurn(), reading: read() }
    turn = started
    void started.reading.then((table) => (started.table = table))
    setImmediate(() => turn === started && refresh())
    return started
  }
  return {
    refresh,
    find(agents, service) {
      const { table, reading } = current()
      if (table) return table.find(listOf(agents), service)
      return reading.then((locks) => locks.find(listOf(agents), service))
    },
  }
}

function listOf(agents: string | readonly string[] | undefined): readonly string[] {
  return typeof agents === 'string' ? [agents] : (agents ?? [])
}

function tableReader(db: Database): () => Promise<LockTable> {
  let kept: { revision: string; table: LockTable } | undefined
  return async () => {
    try {
      const revision = await findLocksRevision(db)
      if (kept?.revision !== revision) kept = { revision, table: await readTable(db) }
      return kept.table
    } catch {
      return UNREADABLE
    }
  }
}

async function readTable(db: Database): Promise<LockTable> {
  // A lock on everything may come on top of as many as there may be.
  const locks = await readLocks(db, LOCK_LIMIT * 2)
  return locks.length < LOCK_LIMIT * 2 ? lockTable(locks) : UNREADABLE
}
