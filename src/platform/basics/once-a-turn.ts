import { currentTurn } from './turn.ts'

/**
 * Keeps what was found until the turn of the event loop ends or a request is read, whichever comes first, so
 * that a request meets whatever had changed before it was sent; only requests read together share a look.
 * The key stands for all that is asked: what else `find` is given must follow from it.
 */
export function onceATurn<Value, More extends readonly unknown[]>(
  find: (key: string, ...more: More) => Value,
): (key: string, ...more: More) => Value {
  let found = new Map<string, Value>()
  let turn = currentTurn()
  return (key, ...more) => {
    if (turn !== currentTurn()) {
      turn = currentTurn()
      found = new Map()
    }
    const known = found.get(key)
    if (known !== undefined) return known
    const value = find(key, ...more)
    // A new map each time: see `under-way.ts` for what clearing one would cost.
    if (found.size === 0) setImmediate(() => (found = new Map()))
    found.set(key, value)
    return value
  }
}
