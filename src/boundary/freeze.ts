import type { AgentInput, JsonObject } from './contract.ts'
import { isJsonSafe, isPlainObject } from './json-safe.ts'

/** A copy of a JSON value that nobody can change, at any depth. The value itself stays as it is. */
export function frozenCopy<Value>(value: Value): Value {
  return freezeDeep(JSON.parse(JSON.stringify(value)) as Value)
}

/** Recursion is bounded: only values that passed the check for depth come here. */
function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freezeDeep(part)
  return Object.freeze(value)
}

/** The input as an engine in the same process gets it: its own copy, frozen through and through. */
export function freezeInput(input: AgentInput): AgentInput {
  return frozenCopy(input)
}

/** Freezes what is known now into a snapshot. Throws on anything that JSON does not carry whole. */
export function freezeSnapshot(known: unknown): JsonObject {
  if (!isPlainObject(known) || !isJsonSafe(known)) {
    throw new TypeError('A snapshot must be a JSON object without anything that JSON does not carry.')
  }
  return frozenCopy(known as JsonObject)
}
