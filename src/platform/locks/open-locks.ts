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
  table?: LockTable | undefined
}

/** With each change of the locks a row of this table changes, too. */
const REVISION_TABLE = 'hub_meta'

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
    const started = read()
    turn = started
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

/** Begins a turn, with the locks where nobody can have changed them since they were read. */
function tableReader(db: Database): () => Turn {
  let kept: { revision: string; edition: number | undefined; table: LockTable } | undefined
  const read = async (edition: number | undefined) => {
    try {
      const revision = await findLocksRevision(db)
      const table = kept?.revision === revision ? kept.table : await readTable(db)
      kept = { revision, edition, table }
      return table
    } catch {
      return UNREADABLE
    }
  }
  return () => {
    const edition = db.edition?.(REVISION_TABLE)
    if (kept && edition !== undefined && kept.edition === edition)
      return { number: currentTurn(), reading: Promise.resolve(kept.table), table: kept.table }
    const started: Turn = { number: currentTurn(), reading: read(edition) }
    void started.reading.then((table) => (started.table = table))
    return started
  }
}

async function readTable(db: Database): Promise<LockTable> {
  // A lock on everything may come on top of as many as there may be.
  const locks = await readLocks(db, LOCK_LIMIT * 2)
  return locks.length < LOCK_LIMIT * 2 ? lockTable(locks) : UNREADABLE
}
