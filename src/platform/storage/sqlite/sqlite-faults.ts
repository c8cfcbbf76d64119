import BetterSqlite from 'better-sqlite3'
import { StorageDamaged, StorageUnavailable } from '../database.ts'

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|FORMAT)/
const UNAVAILABLE = /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN|BUSY|LOCKED|PERM|NOLFS|PROTOCOL)/

/** Gives the driver's errors our two meanings; programming mistakes pass through as they are. */
export function sqliteFault(error: unknown): unknown {
  const code = error instanceof BetterSqlite.SqliteError ? error.code : ''
  if (DAMAGED.test(code)) return new StorageDamaged('The database file is damaged.', { cause: error })
  if (UNAVAILABLE.test(code)) {
    return new StorageUnavailable('The database cannot be used at the moment.', { cause: error })
  }
  return error
}

/** Whether another connection was writing: the one trouble that passes by waiting. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof StorageUnavailable ? error.cause : undefined
  return cause instanceof BetterSqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY')
}

/** Whether opening failed in a way that another program's opening of the same file explains. */
export function isPassing(error: unknown): boolean {
  const cause = error instanceof StorageUnavailable ? error.cause : undefined
  return cause instanceof BetterSqlite.SqliteError && /^SQLITE_(BUSY|CANTOPEN|PROTOCOL)/.test(cause.code)
}

/**
 * Stands before every use of one database file. Once damage was seen it lets nothing through any more:
 * what is left of the file stays as it is.
 */
export function faultLatch() {
  let fault: Error | undefined
  const check = () => {
    if (fault) throw fault
  }
  return {
    check,
    guarded<Result>(act: () => Result): Result {
      check()
      try {
        return act()
      } catch (error) {
        const meant = sqliteFault(error)
        if (meant instanceof StorageDamaged) fault = meant
        throw meant
      }
    },
    isDamaged: () => fault instanceof StorageDamaged,
    shut() {
      fault ??= new StorageUnavailable('The database is closed.')
    },
  }
}

export type FaultLatch = ReturnType<typeof faultLatch>
