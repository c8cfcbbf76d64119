import BetterSqlite from 'better-sqlite3'

/** So many are named; the rest is a number. */
const NAMED_LIMIT = 100

/** Something that took away, as the audit log tells of it. */
export interface UndoneAct {
  at: string
  operation: string
  target_id: string | null
  caller_id: string
}

export interface Undone {
  readonly acts: readonly UndoneAct[]
  readonly more: number
}

/** What takes away, by the words in the names of operations. */
const TAKES_AWAY = [
  '%revoke%',
  '%lock_add%',
  '%delete%',
  '%discard%',
  '%remove%',
  '%sign_out%',
  '%password%',
  '%rotate%',
]
const WHERE = `seq > ? AND outcome = 'allowed' AND target_kind IS NOT 'owner_event'
  AND (${TAKES_AWAY.map(() => 'operation LIKE ?').join(' OR ')})`

/**
 * What was revoked, locked or deleted in a database since a copy of it was made; undefined where it cannot be read. Both
 * are only read, and a copy that is of another chain has nothing in common with it: then all of it counts.
 */
export function listUndone(database: string, copy: string): Undone | undefined {
  try {
    const seq = reading(copy, (db) => (db.prepare('SELECT seq FROM audit_head').get() as { seq: number }).seq)
    return reading(database, (db) => {
      const find = `SELECT at, operation, target_id, caller_id FROM audit_records WHERE ${WHERE} ORDER BY seq LIMIT ${NAMED_LIMIT}`
      const acts = db.prepare(find).all(seq, ...TAKES_AWAY) as UndoneAct[]
      const count = db.prepare(`SELECT COUNT(*) AS n FROM audit_records WHERE ${WHERE}`)
      return { acts, more: (count.get(seq, ...TAKES_AWAY) as { n: number }).n - acts.length }
    })
  } catch {
    return undefined
  }
}

function reading<Result>(path: string, act: (db: BetterSqlite.Database) => Result): Result {
  const db = new BetterSqlite(path, { readonly: true, fileMustExist: true })
  try {
    return act(db)
  } finally {
    db.close()
  }
}
