import BetterSqlite from 'better-sqlite3'
import {
  type Database,
  type Reader,
  type SqlValue,
  type Statement,
  StorageDamaged,
  StorageUnavailable,
  type Transaction,
} from './database.ts'

/** How long a process waits for another one that is writing to the same home. */
const BUSY_TIMEOUT_MS = 10_000
/** More than this many transactions are never joined into one commit. */
const GROUP_LIMIT = 256

type Connection = BetterSqlite.Database

/** Opens a SQLite file (or `:memory:`), refusing one that is damaged or of another kind. */
export function openSqlite(path: string): Database {
  const writer = connect(path)
  // A memory database is private to its connection, so there reads share the writer.
  const reader = path === ':memory:' ? writer : connect(path, true)
  const reads = readerOn(reader)
  const queue = groupCommit(writer)
  return {
    kind: 'sqlite',
    get: reads.get,
    all: reads.all,
    transaction: queue.add,
    async close() {
      await queue.drained()
      if (reader !== writer) reader.close()
      writer.close()
    },
  }
}

function connect(path: string, readonly = false): Connection {
  return guarded(() => {
    const connection = new BetterSqlite(path, { readonly, timeout: BUSY_TIMEOUT_MS })
    if (!readonly) {
      connection.pragma('journal_mode = WAL')
      // FULL: an acknowledged write survives a power cut, not only a killed process.
      connection.pragma('synchronous = FULL')
      connection.pragma('foreign_keys = ON')
    }
    return connection
  })
}

function readerOn(connection: Connection): Reader {
  const prepared = preparedOn(connection)
  return {
    async get<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      return guarded(() => prepared(statement).get(...values) as Row | undefined)
    },
    async all<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      return guarded(() => prepared(statement).all(...values) as Row[])
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

interface Job {
  work(tx: Transaction): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
  result?: unknown
}

/**
 * Joins the transactions that arrive in one turn of the event loop into one commit, each in its own
 * savepoint: the disk is asked to sync once for all of them, and one that fails undoes only itself.
 */
function groupCommit(connection: Connection) {
  const prepared = preparedOn(connection)
  const tx: Transaction = {
    ...readerOn(connection),
    async run(statement, ...values) {
      return guarded(() => prepared(statement).run(...values).changes)
    },
  }
  const control = (text: string) => {
    const statement = connection.prepare(text)
    return () => guarded(() => void statement.run())
  }
  const begin = control('BEGIN IMMEDIATE')
  const commit = control('COMMIT')
  const rollback = control('ROLLBACK')
  const save = control('SAVEPOINT job')
  const release = control('RELEASE job')
  const undo = control('ROLLBACK TO job')
  let waiting: Job[] = []
  let running: Promise<void> | undefined

  async function runOne(job: Job): Promise<boolean> {
    save()
    try {
      job.result = await job.work(tx)
      release()
      return true
    } catch (error) {
      // After a full disk SQLite may have rolled everything back already: then there is no savepoint.
      if (!connection.inTransaction) throw error
      undo()
      release()
      job.reject(error)
      return false
    }
  }

  async function runGroup(group: Job[]): Promise<void> {
    const done: Job[] = []
    const settled = new Set<Job>()
    try {
      begin()
      for (const job of group) {
        if (await runOne(job)) done.push(job)
        else settled.add(job)
      }
      commit()
      for (const job of done) job.resolve(job.result)
    } catch (error) {
      if (connection.inTransaction) rollback()
      for (const job of group) if (!settled.has(job)) job.reject(error)
    }
  }

  async function runAll(): Promise<void> {
    await new Promise((turn) => setImmediate(turn))
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP_LIMIT)
      waiting = waiting.slice(GROUP_LIMIT)
      await runGroup(group)
    }
    running = undefined
  }

  return {
    add<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (result: unknown) => void, reject })
        running ??= runAll()
      })
    },
    async drained(): Promise<void> {
      while (running) await running
    },
  }
}

const DAMAGED = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_FORMAT'])
const UNAVAILABLE = /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN|BUSY|LOCKED|PERM|NOLFS|PROTOCOL)/

/** Gives the driver's errors our two meanings; programming mistakes pass through as they are. */
function guarded<Result>(act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    const code = error instanceof BetterSqlite.SqliteError ? error.code : ''
    if ([...DAMAGED].some((damaged) => code.startsWith(damaged))) {
      throw new StorageDamaged('The database file is damaged.', { cause: error })
    }
    if (UNAVAILABLE.test(code)) {
      throw new StorageUnavailable('The database cannot be used at the moment.', { cause: error })
    }
    throw error
  }
}
