import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { syncPath } from '../../basics/private-file.ts'
import { StorageDamaged, StorageUnavailable } from '../database.ts'
import { isBusy, sqliteFault } from './sqlite-faults.ts'

const BUSY_TIMEOUT_MS = 10_000

/** Copies a database as it stands at one moment, while others may be writing to it; answers its schema's version. */
export function copySqlite(from: string, to: string): number {
  if (!existsSync(from)) throw new StorageUnavailable(`${from} does not exist: there is nothing to back up.`)
  use(from, (source) => source.prepare('VACUUM INTO ?').run(to))
  chmodSync(to, 0o600)
  syncPath(to)
  return checkCopy(to)
}

/** Throws unless the file is a sound database; answers its schema's version. */
export function checkCopy(path: string): number {
  return use(path, (copy) => {
    const finding = copy.pragma('integrity_check(1)', { simple: true })
    if (finding !== 'ok') throw new StorageDamaged(`${path} is damaged.`)
    const found = copy.prepare('SELECT MAX(version) AS version FROM schema_version').get()
    return (found as { version: number | null }).version ?? 0
  })
}

function use<Result>(path: string, act: (connection: BetterSqlite.Database) => Result): Result {
  let connection: BetterSqlite.Database | undefined
  try {
    connection = new BetterSqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    return act(connection)
  } catch (error) {
    throw sqliteFault(error)
  } finally {
    connection?.close()
  }
}

/**
 * Does something to a database file that no process has open, keeping others out meanwhile. A sound file
 * is locked by SQLite; of a damaged one the kernel's table of locks is read, where there is one.
 */
export function whileUnused<Result>(path: string, act: () => Result): Result {
  if (!existsSync(path) || statSync(path).size === 0) return act()
  const lock = lockFile(path)
  try {
    return act()
  } finally {
    // Should the file have been replaced, SQLite sees that and leaves old and new alone.
    lock?.close()
  }
}

function lockFile(path: string): BetterSqlite.Database | undefined {
  const connection = new BetterSqlite(path, { timeout: 0 })
  try {
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.exec('BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    const fault = sqliteFault(error)
    if (fault instanceof StorageDamaged && !isLocked(path)) return undefined
    if (fault instanceof StorageDamaged || isBusy(fault))
      throw new StorageUnavailable(
        `${path} is in use. Stop the hub and every other program of this home first.`,
      )
    throw fault
  }
}

function isLocked(path: string): boolean {
  if (!existsSync('/proc/locks')) return false
  const inode = String(statSync(path).ino)
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => line.split(/\s+/).some((word) => word.endsWith(`:${inode}`)))
}
