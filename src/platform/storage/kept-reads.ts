import { keptWith } from '../basics/kept-with.ts'
import type { Reader } from './database.ts'

/** Rows that are kept of one table. */
const KEPT_LIMIT = 1_000

/** Reads something by its key, or answers at once what was read before. */
export type KeptReads<Value> = (
  db: Reader,
  key: string,
  read: () => Promise<Value | undefined>,
) => Value | Promise<Value | undefined>

/**
 * Keeps what was read of a table for as long as nobody, in whatever process, has changed it. What is not there is asked
 * for anew each time. `read` has to ask the database at once: what it finds belongs to this moment.
 */
export function keptReads<Value extends object>(table: string): KeptReads<Value> {
  const keptOf = keptWith((_db: Reader) => ({ edition: Number.NaN, found: new Map<string, Value>() }))
  return (db, key, read) => {
    const edition = db.edition?.(table)
    if (edition === undefined) return read()
    const kept = keptOf(db)
    if (kept.edition !== edition || kept.found.size >= KEPT_LIMIT) {
      kept.edition = edition
      kept.found = new Map()
    }
    const { found } = kept
    const known = found.get(key)
    if (known !== undefined) return known
    return read().then((value) => {
      if (value !== undefined) found.set(key, value)
      return value
    })
  }
}
