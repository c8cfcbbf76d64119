import { currentTurn } from './turn.ts'

/**
 * Keeps what was found until the turn of the event loop ends or a request is read, whichever comes first, so
 * that a request meets whatever had changed before it was sent; only requests read together share a look.
 */
export function onceATurn<Value>(find: (key: string) => Value): (key: string) => Value {
  let found = new Map<string, Value>()
  let turn = currentTurn()
  return (key) => {
    if (turn !== currentTurn()) {
      turn = currentTurn()
      found = new Map()
    }
    const known = found.get(key)
    if (known !== undefined) return known
    const value = find(key)
    // A new map each time: see `under-way.ts` for what clearing one would cost.
    if (found.size === 0) setImmediate(() => (found = new Map()))
    found.set(key, value)
    return value
  }
}
