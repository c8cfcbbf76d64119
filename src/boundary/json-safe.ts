import { type Found, memberPath, note } from './violation.ts'

/** Deeper values are refused: whoever reads them next may not be able to. */
export const MAX_DEPTH = 64
/** Values with more parts than this are refused. */
export const MAX_PARTS = 1_000_000

/** UTF-8 carries no half of a character: whoever reads it next would find another sign there. */
export const HALF_PAIR = 'must not hold half of a surrogate pair'

type Members = { readonly [key: string]: unknown }

/** Whether a value is an object literal: JSON knows no other kind. */
export function isPlainObject(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether JSON would carry an object whole: what it would drop, change or choke on is not safe. */
export function isJsonSafe(value: Members): boolean {
  return isSafeObject(value, 1, { parts: MAX_PARTS })
}

interface Budget {
  parts: number
}

/** What holds itself is deeper than any limit, and is found out on its first way down. */
function isSafe(value: unknown, depth: number, budget: Budget): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return false
  if (Array.isArray(value)) return isSafeArray(value, depth + 1, budget)
  return isPlainObject(value) && isSafeObject(value, depth + 1, budget)
}

function isSafeArray(value: readonly unknown[], depth: number, budget: Budget): boolean {
  // Names beside the numbers, and gaps between them, would be lost.
  if (Object.keys(value).length !== value.length) return false
  for (let at = 0; at < value.length; at++) {
    if (--budget.parts < 0 || !isSafe(value[at], depth, budget)) return false
  }
  return true
}

function isSafeObject(value: Members, depth: number, budget: Budget): boolean {
  if (hasSymbols(value)) return false
  // Over a plain object this names its own keys, and is the quickest way to.
  for (const key in value) {
    if (--budget.parts < 0 || !key.isWellFormed() || !isSafe(value[key], depth, budget)) return false
  }
  return true
}

function hasSymbols(value: object): boolean {
  return Object.getOwnPropertySymbols(value).length > 0
}

/** Notes every part of a value that JSON would not carry whole. */
export function noteUnsafe(value: unknown, path: string, found: Found): void {
  const before = found.length
  noteWithin(value, path, [], found, { parts: MAX_PARTS })
  if (found.length === before) note(found, path, 'has more parts than are allowed')
}

function noteWithin(value: unknown, path: string, around: unknown[], found: Found, budget: Budget): void {
  if (--budget.parts < 0 || isLeafSafe(value)) return
  if (typeof value !== 'object' || value === null) return note(found, path, faultOfLeaf(value))
  if (around.includes(value)) return note(found, path, 'holds itself')
  if (around.length >= MAX_DEPTH) return note(found, path, 'is nested too deeply')
  if (!Array.isArray(value) && !isPlainObject(value)) return note(found, path, 'must be a plain object')
  const keys = Object.keys(value)
  const carriesAll = Array.isArray(value)
    ? keys.length === value.length
    : !hasSymbols(value) && keys.every((key) => key.isWellFormed())
  if (!carriesAll) note(found, path, 'has members that JSON does not carry')
  around.push(value)
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && budget.parts >= 0; at++) {
      noteWithin(value[at], `${path}[${at}]`, around, found, budget)
    }
  } else {
    for (const key of keys) noteWithin((value as Members)[key], memberPath(path, key), around, found, budget)
  }
  around.pop()
}

function isLeafSafe(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'boolean' || value === null) return true
  return typeof value === 'number' && Number.isFinite(value)
}

function faultOfLeaf(value: unknown): string {
  if (typeof value === 'string') return HALF_PAIR
  return typeof value === 'number' ? 'must be a finite number' : `must not be of type ${typeof value}`
}
