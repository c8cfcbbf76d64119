/**
 * Where reading an input has dropped a key, if it has. Schemas for free objects leave `__proto__` out without a word,
 * and what is left out would be neither refused nor passed on.
 */
export function findLostKey(given: unknown, read: unknown, place = ''): string | undefined {
  // What a schema leaves free is handed on as it is: nothing below can be lost.
  if (given === read || !isObject(given) || !isObject(read)) return undefined
  if (Object.hasOwn(given, '__proto__') && !Object.hasOwn(read, '__proto__')) return place || 'the input'
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(read, key)) continue
    const lost = findLostKey(value, read[key], place ? `${place}.${key}` : key)
    if (lost !== undefined) return lost
  }
  return undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
