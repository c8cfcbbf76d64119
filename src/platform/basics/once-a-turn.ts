/**
 * Keeps what was found until the turn of the event loop ends. A request is read in a turn that began after
 * it was sent, so it still meets whatever had changed before; only the requests of one turn share a look.
 */
export function onceATurn<Value>(find: (key: string) => Value): (key: string) => Value {
  let found = new Map<string, Value>()
  return (key) => {
    const known = found.get(key)
    if (known !== undefined) return known
    const value = find(key)
    // A new map each time: see `under-way.ts` for what clearing one would cost.
    if (found.size === 0) setImmediate(() => (found = new Map()))
    found.set(key, value)
    return value
  }
}
