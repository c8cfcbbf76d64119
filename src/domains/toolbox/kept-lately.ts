/** Makes a thing for a key once and keeps it; of more than `limit` the longest unused goes. */
export function keptLately<Value>(limit: number, make: (key: string) => Value): (key: string) => Value {
  const kept = new Map<string, Value>()
  return (key) => {
    const known = kept.get(key)
    const value = known ?? make(key)
    kept.delete(key)
    kept.set(key, value)
    if (kept.size > limit) kept.delete(kept.keys().next().value as string)
    return value
  }
}
