/** Makes a thing for an object once, and keeps it as long as the object is there. */
export function cachePerObject<Owner extends WeakKey, Value>(
  make: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const made = new WeakMap<Owner, { readonly value: Value }>()
  return (owner) => {
    const kept = made.get(owner) ?? { value: make(owner) }
    made.set(owner, kept)
    return kept.value
  }
}

/**
 * Makes a thing for a key once and keeps it: the last half of `limit` for sure, never more than all of it.
 * Two generations instead of an order that changes with each use: see `under-way.ts` for what that would cost.
 */
export function boundedCache<Value>(limit: number, make: (key: string) => Value): (key: string) => Value {
  let lately = new Map<string, Value>()
  let before = new Map<string, Value>()
  return (key) => {
    const known = lately.get(key)
    if (known !== undefined) return known
    const value = before.get(key) ?? make(key)
    if (lately.size >= limit / 2) {
      before = lately
      lately = new Map()
    }
    lately.set(key, value)
    return value
  }
}
