/**
 * Makes a thing for an owner once, and keeps it as long as the owner is there. Where several objects stand for one
 * owner, such as a hub and a part of it, `keyOf` names what they share.
 */
export function keptWith<Owner extends WeakKey, Value>(
  make: (owner: Owner) => Value,
  keyOf: (owner: Owner) => WeakKey = (owner) => owner,
): (owner: Owner) => Value {
  const made = new WeakMap<WeakKey, Value>()
  return (owner) => {
    const key = keyOf(owner)
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(owner)
    made.set(key, value)
    return value
  }
}
