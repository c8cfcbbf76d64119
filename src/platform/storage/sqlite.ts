import type { Database, Reader, SqlValue, Statement } from './database.ts'
import { type Connection, connectFile, connectMemory } from './sqlite-connection.ts'
import { type Editions, tableEditions } from './sqlite-editions.ts'
import { type FaultLatch, faultLatch } from './sqlite-faults.ts'
import { groupCommit } from './sqlite-group-commit.ts'
import { preparedOn, type ReadViews, readViews } from './sqlite-views.ts'
import { type RawTransaction, transactionScope } from './transaction-scope.ts'

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
  const editions = tableEditions()
  const views = inMemory ? undefined : readViews(writer, reader, latch, editions)
  const raw = transactionOn(writer, latch, editions)
  const queue = groupCommit({ connection: writer, raw, latch, scope, views })
  const checkRead = () => {
    latch.check()
    scope.checkOutside()
  }
  return {
    kind: 'sqlite',
    ...(views ? readerOn(views, checkRead) : waitingReader(raw, checkRead, queue.drained)),
    transaction: queue.add,
    async close() {
      await queue.drained()
      views?.end()
      closeBoth(writer, reader, latch)
    },
  }
}

function readerOn({ read, edition }: ReadViews, check: () => void): Reader {
  return {
    edition(table) {
      try {
        check()
        return edition(table)
      } catch {
        // The read that follows tells why.
        return undefined
      }
    },
    async get<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      check()
      return read('one', statement, values) as Row | undefined
    },
    async all<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      check()
      return read('all', statement, values) as Row[]
    },
  }
}

/** Where reads share the only connection they wait for what is written: nobody sees what is not committed. */
function waitingReader(raw: RawTransaction, check: () => void, written: () => Promise<void>): Reader {
  const ready = async () => {
    check()
    await written()
  }
  return {
    async get(statement, ...values) {
      await ready()
      return raw.get(statement, ...values)
    },
    async all(statement, ...values) {
      await ready()
      return raw.all(statement, ...values)
    },
  }
}

/** The last writer to close copies the write-ahead log into the file; a damaged file must not get it. */
function closeBoth(writer: Connection, reader: Connection, latch: FaultLatch): void {
  const order = latch.isDamaged() ? [writer, reader] : [reader, writer]
  latch.shut()
  for (const connection of order) connection.close()
}

function transactionOn(connection: Connection, { guarded }: FaultLatch, editions: Editions): RawTransaction {
  const find = preparedOn(connection)
  const prepared = (statement: Statement<unknown>) => {
    const found = find(statement)
    if (!found.readonly) editions.noteChange(statement)
    return found
  }
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
