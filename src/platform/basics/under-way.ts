type Id = string | number

/**
 * What is under way, by id. A plain object on purpose: V8 links each table that a Map or Set has outgrown to
 * the one after it. Where entries come and go all the time, one such dead table in the old generation keeps
 * all that ever came later from being collected while it is young: memory grows, and collecting it takes a
 * large part of the time.
 */
export interface UnderWay<Value> {
  readonly size: number
  get(id: Id): Value | undefined
  set(id: Id, value: Value): void
  delete(id: Id): void
  values(): Value[]
}

export function underWay<Value>(): UnderWay<Value> {
  const table: Record<Id, Value> = Object.create(null)
  let size = 0
  return {
    get size() {
      return size
    },
    get: (id) => table[keyOf(id)],
    set(id, value) {
      const key = keyOf(id)
      if (!(key in table)) size++
      table[key] = value
    },
    delete(id) {
      const key = keyOf(id)
      if (!(key in table)) return
      size--
      delete table[key]
    },
    values: () => Object.values(table),
  }
}

/** A number and its text are two ids. */
function keyOf(id: Id): Id {
  return typeof id === 'number' ? id : `"${id}`
}
