import { statSync } from 'node:fs'
import { type Database, type Reader, type SqlValue, type Statement, StorageDamaged } from '../database.ts'
import { type RawTransaction, transactionScope } from '../transaction-scope.ts'
import { type Connection, connectFile, connectMemory } from './sqlite-connection.ts'
import { type FaultLatch, faultLatch } from './sqlite-faults.ts'
import { groupCommit } from './sqlite-group-commit.ts'
import { type FileReads, fileReads, preparedOn } from './sqlite-reads.ts'

export interface SqliteOptions {
  /** Reads the whole file once before it is used, up to a size. */
  checkIntegrity?: boolean
  /** Opens a file whose write-ahead log has lost something: what is good of it counts, and a copy is kept of all of it. */
  acceptLoss?: boolean
}

/** Opens a SQLite file (or `:memory:`), refusing one that is damaged or of another kind. */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const inMemory = path === ':memory:'
  const { writer, reader } = inMemory ? connectMemory() : connectFile(path, options)
  const latch = faultLatch()
  const scope = transactionScope()
  const reads = inMemory ? undefined : fileReads(writer, reader, latch)
  const raw = transactionOn(writer, latch)
  const queue = groupCommit({ connection: writer, raw, latch, scope, reads })
  const checkRead = () => {
    latch.check()
    scope.checkOutside()
  }
  return {
    kind: 'sqlite',
    waiting: queue.waiting,
    ...(reads ? readerOn(reads, checkRead) : waitingReader(raw, checkRead, queue.drained)),
    transaction: queue.add,
    ...(inMemory ? {} : { checkInPlace: checkerOf(path, latch) }),
    async close({ untouched = false } = {}) {
      await queue.drained()
      reads?.end()
      closeBoth(writer, reader, latch, untouched)
    },
  }
}

function readerOn(reads: FileReads, check: () => void): Reader {
  return {
    async get<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      check()
      return reads.one(statement, values) as Row | undefined
    },
    async all<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      check()
      return reads.all(statement, values) as Row[]
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
function closeBoth(writer: Connection, reader: Connection, latch: FaultLatch, untouched: boolean): void {
  const order = untouched || latch.isDamaged() ? [writer, reader] : [reader, writer]
  latch.shut()
  for (const connection of order) connection.close()
}

/**
 * Looks whether the file, its log and the index of that are still those that were opened. Once they are not, nothing is
 * let through: whoever makes a new index does not see what is written by the old one, and writes over it.
 */
function checkerOf(path: string, latch: FaultLatch): () => void {
  const files = ['', '-wal', '-shm'].map((ending) => path + ending)
  const known = files.map(inodeOf)
  return () =>
    latch.guarded(() => {
      // The log of a new file comes with its first change.
      const now = files.map(inodeOf)
      const gone = files.find((_, at) => known[at] !== undefined && now[at] !== known[at])
      files.forEach((_, at) => void (known[at] ??= now[at]))
      if (gone === undefined) return
      throw new StorageDamaged(`${gone} was removed or replaced while it was in use.`)
    })
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
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
