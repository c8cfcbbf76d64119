import type BetterSqlite from 'better-sqlite3'
import { currentTurn } from '../basics/turn.ts'
import type { SqlValue, Statement } from './database.ts'
import type { Connection } from './sqlite-connection.ts'
import type { Editions } from './sqlite-editions.ts'
import { type FaultLatch, isBusy } from './sqlite-faults.ts'
import { turnResults } from './turn-results.ts'

type Kind = 'one' | 'all'
type Read = (kind: Kind, statement: Statement<unknown>, values: readonly SqlValue[]) => unknown

/** What reads see of a file that is written through the same process. */
export interface ReadViews {
  read: Read
  /** The edition of a table that a read of this moment would see; nothing where that is not known. */
  edition(table: string): number | undefined
  /** To be called before a group of changes begins: what it has changed is not for others to see yet. */
  beforeWriting(): void
  /** To be called when it has ended, either way: who reads now sees what was committed. */
  afterWriting(): void
  end(): void
}

/**
 * Reads go through the writer's connection while it has no changes under way, since that one keeps the pages
 * it has written in memory; the other would fetch them anew after every commit. While changes are under way
 * reads go through the reader's.
 */
export function readViews(
  writer: Connection,
  reader: Connection,
  latch: FaultLatch,
  editions: Editions,
): ReadViews {
  const own = turnView(writer, latch, followForeign(writer, editions))
  const apart = turnView(reader, latch)
  let isWriting = false
  return {
    read(kind, statement, values) {
      if (isWriting) return apart.read(kind, statement, values)
      try {
        return own.read(kind, statement, values)
      } catch (error) {
        // The writer never waits for another process; the reader may.
        if (!isBusy(error)) throw error
        own.end()
        return apart.read(kind, statement, values)
      }
    },
    edition(table) {
      if (isWriting) return undefined
      try {
        own.begin()
        return editions.of(table)
      } catch (error) {
        own.end()
        throw error
      }
    },
    beforeWriting() {
      own.end()
      isWriting = true
    },
    afterWriting() {
      apart.end()
      isWriting = writer.inTransaction
    },
    end() {
      own.end()
      apart.end()
    },
  }
}

/** Looks, through a view that has just begun, whether another connection has committed something since the last. */
function followForeign(connection: Connection, editions: Editions): () => void {
  const version = connection.prepare('PRAGMA data_version').pluck()
  let known: unknown
  return () => {
    const current = version.get()
    if (current === known) return
    known = current
    editions.noteForeign()
  }
}

/**
 * Reads of one turn of the event loop share one view of the file: opening it anew costs more than the
 * read. It ends with the turn, with each group of changes of ours, so that who has written sees them, and
 * when a request was read since: what another process has committed by then is for that one to see.
 */
function turnView(
  connection: Connection,
  { guarded }: FaultLatch,
  onBegun?: () => void,
): { read: Read; begin(): void; end(): void } {
  const beginning = connection.prepare('BEGIN')
  const ending = connection.prepare('COMMIT')
  const prepared = preparedOn(connection)
  const results = turnResults()
  let open = false
  let turn = 0
  const end = () => {
    if (!open) return
    open = false
    results.clear()
    try {
      if (connection.inTransaction) guarded(() => void ending.run())
    } catch {
      // A view that cannot be let go of is a fault of the file, which the next read tells.
    }
  }
  const begin = () => {
    if (open && turn === currentTurn()) return
    end()
    guarded(() => void beginning.run())
    open = true
    turn = currentTurn()
    setImmediate(end)
    if (onBegun) guarded(onBegun)
  }
  return {
    begin,
    end,
    read(kind, statement, values) {
      begin()
      return results.find(kind, statement, values, () =>
        guarded(() => {
          const found = prepared(statement)
          // Nothing may be changed but by a transaction.
          if (!found.readonly) throw new Error('A read must not change anything.')
          return kind === 'one' ? found.get(...values) : found.all(...values)
        }),
      )
    },
  }
}

/** The statements of a connection, each prepared once. */
export function preparedOn(
  connection: Connection,
): (statement: Statement<unknown>) => BetterSqlite.Statement {
  const cache = new Map<Statement<unknown>, BetterSqlite.Statement>()
  return (statement) => {
    let found = cache.get(statement)
    if (!found) cache.set(statement, (found = connection.prepare(statement.text)))
    return found
  }
}
