import BetterSqlite from 'better-sqlite3'

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB|FORMAT|SCHEMA|ERROR|MISMATCH)/
const UNAVAILABLE = /^SQLITE_(?:CANTOPEN|PERM|AUTH|READONLY|IOERR|FULL|BUSY|LOCKED|NOLFS|PROTOCOL)/

/** An index file cannot be trusted: it is to be taken away and made anew. */
export class IndexDamaged extends Error {
  override name = 'IndexDamaged'
  readonly file: string

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`The knowledge index ${file} is damaged: ${why}`, options)
    this.file = file
  }
}

/** An index file may be sound, and cannot be used at this moment: its rights, the disk, or another program forbid. */
export class IndexUnavailable extends Error {
  override name = 'IndexUnavailable'
  readonly file: string

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`The knowledge index ${file} cannot be used: ${why}`, options)
    this.file = file
  }
}

/** Runs an act on an index file, so that what the file is to blame for is said of the file. */
export function blameFile<Result>(file: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof BetterSqlite.SqliteError)) throw error
    if (DAMAGED.test(error.code)) throw new IndexDamaged(file, error.message, { cause: error })
    if (UNAVAILABLE.test(error.code)) throw new IndexUnavailable(file, error.message, { cause: error })
    throw error
  }
}
