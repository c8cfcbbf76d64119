import { isIsoMoment } from './iso-moment.ts'
import { HALF_PAIR, isJsonSafe, isPlainObject, noteUnsafe } from './json-safe.ts'
import { type Found, memberPath, note } from './violation.ts'

/** An object whose members are yet to be looked at. */
export type Members = { readonly [key: string]: unknown }

/** The path of what holds the value and its own key are joined only here, when there is a fault. */
function blame(found: Found, holder: string, key: string, message: string): void {
  note(found, memberPath(holder, key), message)
}

/** Whether a text says nothing: empty, or white space alone. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  // Nearly every text begins with one of these, and none of them is white space; beyond them some are.
  return !(first > 0x20 && first < 0x7f) && text.trim() === ''
}

/** Whether a value is a text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value)
}

/** What a list of ids holds. */
export const IDS = { is: isText, message: 'must be a non-empty string' }

export function checkText(value: unknown, found: Found, holder: string, key: string): void {
  if (!isText(value)) blame(found, holder, key, IDS.message)
  else if (!value.isWellFormed()) blame(found, holder, key, HALF_PAIR)
}

export function checkChoice(
  value: unknown,
  choices: readonly string[],
  found: Found,
  holder: string,
  key: string,
): void {
  if (!choices.includes(value as string)) blame(found, holder, key, `must be one of ${choices.join(', ')}`)
}

export function checkBoolean(value: unknown, found: Found, holder: string, key: string): void {
  if (typeof value !== 'boolean') blame(found, holder, key, 'must be true or false')
}

export function checkMoment(value: unknown, found: Found, holder: string, key: string): void {
  if (typeof value === 'string' && isIsoMoment(value)) return
  blame(found, holder, key, 'must be an ISO 8601 date-time with seconds and a zone')
}

/** Notes what is not a JSON object through and through. */
export function checkJsonObject(value: unknown, found: Found, holder: string, key: string): void {
  if (!isPlainObject(value)) blame(found, holder, key, 'must be a JSON object')
  else if (!isJsonSafe(value)) noteUnsafe(value, memberPath(holder, key), found)
}

/** The same for an object whose keys are data too: no place inside it is named. */
export function checkOpaqueObject(value: unknown, found: Found, holder: string, key: string): void {
  if (!isPlainObject(value)) blame(found, holder, key, 'must be a JSON object')
  else if (!isJsonSafe(value)) blame(found, holder, key, 'holds a value that JSON does not carry')
}

/** Notes what is not an array with at least one item, and every item that is not as wanted. */
export function checkList(
  value: unknown,
  wanted: { is: (item: unknown) => boolean; message: string },
  found: Found,
  holder: string,
  key: string,
): void {
  if (!isFilledList(value, found, holder, key)) return
  for (let at = 0; at < value.length; at++) {
    if (!wanted.is(value[at])) note(found, `${memberPath(holder, key)}[${at}]`, wanted.message)
  }
}

/** Whether a value is an array with something in it; if not, that is noted. */
export function isFilledList(
  value: unknown,
  found: Found,
  holder: string,
  key: string,
): value is readonly unknown[] {
  if (!Array.isArray(value)) blame(found, holder, key, 'must be an array')
  else if (value.length === 0) blame(found, holder, key, 'must not be empty')
  return Array.isArray(value)
}

/** The members of an object, or nothing, with the fault noted. */
export function findMembers(value: unknown, path: string, found: Found): Members | undefined {
  if (isPlainObject(value)) return value
  note(found, path, 'must be a JSON object')
  return undefined
}

/** The keys that an object of the contract has, and those it may have. */
export interface KnownKeys {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

/**
 * Notes keys that are not of the contract. To be called when the known members have been checked.
 * `sound` is how many keys the object must have if those were all right, so that the plain case costs a
 * count; any other number means to look at each key.
 */
export function checkKeys(
  members: Members,
  path: string,
  { required, optional }: KnownKeys,
  sound: number,
  found: Found,
): void {
  let count = 0
  for (const _key in members) count++
  if (count === sound) return
  const keys = Object.keys(members)
  for (const key of keys) {
    const isOptional = optional.includes(key)
    if (isOptional && members[key] === undefined) note(found, memberPath(path, key), 'must not be undefined')
    if (!isOptional && !required.includes(key)) {
      note(found, memberPath(path, key), 'is not a key of the contract')
    }
  }
  noteMissing(keys, path, required, found)
}

/** A member that the prototype brought along looked right and is not there. */
function noteMissing(keys: readonly string[], path: string, required: readonly string[], found: Found): void {
  for (const key of required) {
    const place = memberPath(path, key)
    if (keys.includes(key) || found.some((known) => known.path.startsWith(place))) continue
    note(found, place, 'is required')
  }
}

/** One for a value that is there. */
export function present(value: unknown): 0 | 1 {
  return value === undefined ? 0 : 1
}
