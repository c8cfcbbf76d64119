import type BetterSqlite from 'better-sqlite3'
import type { SqlValue, Statement } from '../database.ts'
import type { Connection } from './sqlite-connection.ts'
import { type FaultLatch, isBusy } from './sqlite-faults.ts'

/** Reads of a file that is written through the same process. */
export interface FileReads {
  one(statement: Statement<unknown>, values: readonly SqlValue[]): unknown
  all(statement: Statement<unknown>, values: readonly SqlValue[]): unknown[]
  /** To be called before a group of changes begins: what it has changed is not for others to see yet. */
  beforeWriting(): void
  /** To be called when it has ended, either way: who reads now sees what was committed. */
  afterWriting(): void
  /** To be called before the connections are closed. */
  end(): void
}

/**
 * Reads go through the writer's connection while no changes are under way, because its page cache is warm: another
 * connection drops its own after each commit. While changes are under way they go through the reader's connection, so
 * that nobody sees what is not committed.
 */
export function fileReads(writer: Connection, reader: Connection, latch: FaultLatch): FileReads {
  const onWriter = readsOn(writer, latch)
  const onReader = readsOn(reader, latch)
  let isWriting = false
  const read = <Result>(statement: Statement<unknown>, act: Act<Result>) => {
    if (isWriting) return onReader.read(statement, act)
    try {
      return onWriter.read(statement, act)
    } catch (error) {
      // The writer's connection never waits for another process; the reader's does.
      if (!isBusy(error)) throw error
      onWriter.end()
      return onReader.read(statement, act)
    }
  }
  return {
    one: (statement, values) => read(statement, (found) => found.get(...values)),
    all: (statement, values) => read(statement, (found) => found.all(...values)),
    beforeWriting() {
      onWriter.end()
      isWriting = true
    },
    afterWriting() {
      onReader.end()
      isWriting = writer.inTransaction
    },
    end() {
      onWriter.end()
      onReader.end()
    },
  }
}

type Act<Result> = (prepared: BetterSqlite.Statement) => Result

/**
 * Reads of one callback of the event loop share a read transaction, because opening one costs more than the read. It
 * ends before the next callback: a request is read in a callback of its own, so it sees all that was committed before.
 */
function readsOn(connection: Connection, { guarded }: FaultLatch) {
  const [beginning, ending] = [connection.prepare('BEGIN'), connection.prepare('COMMIT')]
  const prepared = preparedOn(connection)
  let isOpen = false
  const end = () => {
    if (!isOpen) return
    isOpen = false
    try {
      if (connection.inTransaction) guarded(() => void ending.run())
    } catch {
      // A transaction that cannot be ended is a fault of the file, which the next read tells.
    }
  }
  const begin = () => {
    if (isOpen) return
    guarded(() => void beginning.run())
    isOpen = true
    // Runs when the promises of this callback are done with.
    process.nextTick(end)
  }
  return {
    end,
    read<Result>(statement: Statement<unknown>, act: Act<Result>): Result {
      begin()
      return guarded(() => {
        const found = prepared(statement)
        if (!found.readonly) throw new Error('A read must not change anything.')
        return act(found)
      })
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
