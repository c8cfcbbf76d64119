import type { SqlValue, Statement } from './database.ts'

/**
 * What was read through one view of the file. Calls of one turn share the view, so what one of them has
 * read the others need not ask again.
 */
export interface TurnResults {
  /** The remembered result, or the one that `read` gives at once. */
  find<Found>(
    kind: 'one' | 'all',
    statement: Statement<unknown>,
    values: readonly SqlValue[],
    read: () => Found,
  ): Found
  /** Forgets everything: the view has ended. */
  clear(): void
}

/** An empty memory. */
export function turnResults(): TurnResults {
  let results = new Map<Statement<unknown>, Map<string, unknown>>()
  return {
    find(kind, statement, values, read) {
      const key = keyOf(kind, values)
      const known = results.get(statement)
      if (known?.has(key)) return known.get(key) as ReturnType<typeof read>
      const found = shared(read())
      if (known) known.set(key, found)
      else results.set(statement, new Map([[key, found]]))
      return found
    },
    clear() {
      // A new map each time: see `under-way.ts` for what clearing one would cost.
      results = new Map()
    },
  }
}

/** Tells a missing value from an empty one, and a number from its text. */
function keyOf(kind: string, values: readonly SqlValue[]): string {
  let key = kind
  for (const value of values) key += typeof value === 'string' ? `\0${value}` : `\0\0${value}`
  return key
}

/** Several callers get the same rows, so none of them may change one. */
function shared<Found>(found: Found): Found {
  if (Array.isArray(found)) found.forEach((row) => Object.freeze(row))
  return Object.freeze(found)
}
