import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { StorageDamaged, StorageUnavailable } from '../database.ts'
import { isPassing, sqliteFault } from './sqlite-faults.ts'
import { checkWal, keepDamagedWal } from './wal-damage.ts'

export type Connection = BetterSqlite.Database

export interface Connections {
  writer: Connection
  reader: Connection
}

/** How long opening waits for another process that has the file to itself for a moment. */
const OPEN_TIMEOUT_MS = 10_000
/** Larger files are not read through at start: it would take longer than a start may take. */
const CHECKED_SIZE_LIMIT_BYTES = 512 * 1_048_576
/** The write-ahead log is cut back to this size after it was copied into the file. */
const WAL_SIZE_LIMIT_BYTES = 16 * 1_048_576
/** So often is it tried to open a file that others may be making at the moment. */
const PATIENCE = 20
const PATIENCE_PAUSE_MS = 50
/** A file replaced while it was being opened is opened again so often. */
const REOPEN_LIMIT = 3

/** Opens a file for one writer and one reader, looking at it before anything could change it. */
export function connectFile(
  path: string,
  { checkIntegrity = false, acceptLoss = false }: { checkIntegrity?: boolean; acceptLoss?: boolean },
): Connections {
  if (acceptLoss) keepDamagedWal(path)
  else checkWal(path)
  for (let attempt = 1; ; attempt++) {
    const before = inodeOf(path)
    const connections = connectPatiently(path, checkIntegrity)
    // A restore may have put another file in place while we waited for the old one.
    if (before === undefined || before === inodeOf(path)) return connections
    connections.reader.close()
    connections.writer.close()
    if (attempt >= REOPEN_LIMIT) throw new StorageUnavailable('The database file keeps being replaced.')
  }
}

/**
 * Programs that open a new home at the same moment may meet it half made: the file is there, but its log is
 * not yet, or one of them is just turning it into a file with a log. SQLite does not wait for either.
 */
function connectPatiently(path: string, checkIntegrity: boolean): Connections {
  for (let attempt = 1; ; attempt++) {
    try {
      return connectOnce(path, checkIntegrity)
    } catch (error) {
      if (attempt >= PATIENCE || !isPassing(error)) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_PAUSE_MS)
  }
}

/** A memory database is private to its connection, so there reads share the writer. */
export function connectMemory(): Connections {
  const writer = new BetterSqlite(':memory:')
  writer.pragma('foreign_keys = ON')
  return { writer, reader: writer }
}

function connectOnce(path: string, checkIntegrity: boolean): Connections {
  checkWritable(path)
  if (statSync(path).size === 0) {
    const writer = connectWriter(path)
    return { writer, reader: connectReader(path, false) }
  }
  const reader = connectReader(path, checkIntegrity)
  try {
    return { writer: connectWriter(path), reader }
  } catch (error) {
    reader.close()
    throw error
  }
}

// SQLite falls back to reading where it may not write, and would stay so for the life of the connection.
function checkWritable(path: string): void {
  try {
    if (inodeOf(path) === undefined) closeSync(openSync(path, 'a', 0o600))
    accessSync(path, constants.W_OK)
  } catch (error) {
    throw new StorageUnavailable('The database file cannot be written.', { cause: error })
  }
}

function connectReader(path: string, checkIntegrity: boolean): Connection {
  return prepared(path, true, (connection) => {
    connection.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    if (checkIntegrity) checkPages(connection, path)
  })
}

function connectWriter(path: string): Connection {
  return prepared(path, false, (connection) => {
    const mode = connection.pragma('journal_mode = WAL', { simple: true })
    if (mode !== 'wal') throw new StorageUnavailable('The file system does not support the write-ahead log.')
    // FULL: an acknowledged write survives a power cut, not only a killed process.
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    connection.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`)
    // From here on waiting is done without stopping the process.
    connection.pragma('busy_timeout = 0')
  })
}

function prepared(path: string, readonly: boolean, setUp: (connection: Connection) => void): Connection {
  let connection: Connection | undefined
  try {
    connection = new BetterSqlite(path, { readonly, timeout: OPEN_TIMEOUT_MS })
    setUp(connection)
    return connection
  } catch (error) {
    connection?.close()
    throw sqliteFault(error)
  }
}

/** Reads every page once. A changed byte inside a value is not seen here; the audit chain sees its own. */
function checkPages(connection: Connection, path: string): void {
  if (statSync(path).size > CHECKED_SIZE_LIMIT_BYTES) return
  const finding = connection.pragma('quick_check(1)', { simple: true })
  if (finding !== 'ok' || isCut(connection, path)) throw new StorageDamaged('The database file is damaged.')
}

/** A file that ends within a page lost something, unless the log still has that page. */
function isCut(connection: Connection, path: string): boolean {
  const pageSize = Number(connection.pragma('page_size', { simple: true }))
  if (statSync(path).size % pageSize === 0) return false
  return !statSync(`${path}-wal`, { throwIfNoEntry: false })?.size
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}
