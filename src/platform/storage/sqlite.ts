import type BetterSqlite from 'better-sqlite3'
import type { Database, Reader, SqlValue, Statement } from './database.ts'
import { type Connection, connectFile, connectMemory } from './sqlite-connection.ts'
import { type FaultLatch, faultLatch } from './sqlite-faults.ts'
import { groupCommit } from './sqlite-group-commit.ts'
import { type RawTransaction, transactionScope } from './transaction-scope.ts'
import { type TurnResults, turnResults } from './turn-results.ts'

export interface SqliteOptions {
  /** Reads the whole file once before it is used, up to a size. */
  checkIntegrity?: boolean
}

/** Opens a SQLite file (or `:memory:`), refusing one that is damaged or of another kind. */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const inMemory = path === ':memory:'
  const { writer, reader } = inMemory ? connectMemory() : connectFile(path, options.checkIntegrity ?? false)
  const latch = faultLatch()
  const scope = transactionScope()
  const snapshot = inMemory ? undefined : sharedSnapshot(reader, latch)
  const refreshReads = () => snapshot?.end()
  const raw = transactionOn(writer, latch)
  const queue = groupCommit({ connection: writer, raw, latch, scope, refreshReads })
  const beginRead = () => {
    latch.check()
    scope.checkOutside()
    // Where reads share the writer's connection they wait for it: nobody sees what is not committed.
    return snapshot ? snapshot.begin() : queue.drained()
  }
  const reads = readerOn(reader, latch, beginRead, snapshot?.results)
  return {
    kind: 'sqlite',
    ...reads,
    transaction: queue.add,
    async close() {
      await queue.drained()
      snapshot?.end()
      closeBoth(writer, reader, latch)
    },
  }
}

/**
 * Reads of one turn of the event loop share one view of the file: opening it anew costs more than the
 * read. It ends with the turn, and with each commit of ours, so that who has written sees it.
 * What another process commits is seen with the next turn, which is the one that brings the next call.
 */
function sharedSnapshot(reader: Connection, { guarded }: FaultLatch) {
  const beginning = reader.prepare('BEGIN')
  const ending = reader.prepare('COMMIT')
  const results = turnResults()
  let open = false
  const end = () => {
    if (!open) return
    open = false
    results.clear()
    try {
      if (reader.inTransaction) guarded(() => void ending.run())
    } catch {
      // A view that cannot be let go of is a fault of the file, which the next read tells.
    }
  }
  return {
    results,
    begin(): undefined {
      if (open) return
      guarded(() => void beginning.run())
      open = true
      setImmediate(end)
    },
    end,
  }
}

/** The last writer to close copies the write-ahead log into the file; a damaged file must not get it. */
function closeBoth(writer: Connection, reader: Connection, latch: FaultLatch): void {
  const order = latch.isDamaged() ? [writer, reader] : [reader, writer]
  latch.shut()
  for (const connection of order) connection.close()
}

function readerOn(
  connection: Connection,
  { guarded }: FaultLatch,
  begin: () => Promise<void> | undefined,
  results: TurnResults | undefined,
): Reader {
  const prepared = preparedOn(connection)
  const find: TurnResults['find'] = results?.find ?? ((_kind, _statement, _values, read) => read())
  return {
    async get<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      const turn = begin()
      if (turn) await turn
      return find('one', statement, values, () =>
        guarded(() => prepared(statement).get(...values) as Row | undefined),
      )
    },
    async all<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      const turn = begin()
      if (turn) await turn
      return find('all', statement, values, () => guarded(() => prepared(statement).all(...values) as Row[]))
    },
  }
}

function transactionOn(connection: Connection, { guarded }: FaultLatch): RawTransaction {
  const prepared = preparedOn(connection)
  return {
    get: <Row>(statement: Statement<Row>, ...values: SqlValue[]) =>
      guarded(() => prepared(statement).get(...values) as Row | undefined),
    all: <Row>(statement: Statement<Row>, ...values: SqlValue[]) =>
      guarded(() => prepared(statement).all(...values) as Row[]),
    run: (statement, ...values) => guarded(() => prepared(statement).run(...values).changes),
    runEach(statement, lists) {
      const each = prepared(statement)
      guarded(() => lists.forEach((values) => void each.run(...values)))
    },
  }
}

function preparedOn(connection: Connection): (statement: Statement<unknown>) => BetterSqlite.Statement {
  const cache = new Map<Statement<unknown>, BetterSqlite.Statement>()
  return (statement) => {
    let found = cache.get(statement)
    if (!found) cache.set(statement, (found = connection.prepare(statement.text)))
    return found
  }
}
