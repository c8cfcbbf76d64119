import { isExactNumber } from './exact-number.ts'
import { MAX_DEPTH } from './json-safe.ts'

/** A document that was read exactly, or what is wrong with it. The message never quotes it. */
export type ExactJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

/** What keeps a document from being read exactly. */
class Fault extends Error {}

/**
 * Reads a JSON document so that the value is all that was written, or refuses it. Other readers put a sign for a byte
 * they cannot read, round a long number, take the last of two equal keys and lose a key called `__proto__`: what they
 * pass on is then not what was said. One byte order mark at the beginning is no part of the document.
 */
export function readExactJson(document: Uint8Array | string): ExactJson {
  try {
    const text = typeof document === 'string' ? document : decode(document)
    return { ok: true, value: parse(text.startsWith('\uFEFF') ? text.slice(1) : text) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, message: error.message }
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Fault('is not UTF-8 text')
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

function parse(text: string): unknown {
  const members = countMembers(text)
  let keys = 0
  const check: Reviver = (_key, value, { source }) => {
    if (typeof value === 'number') checkNumber(value, source as string)
    else if (typeof value === 'string') checkText(value)
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) keys += countKeys(value)
    return value
  }
  const value = parseWith(text, check)
  // One colon for each member outside of strings, one key for each name: fewer keys mean that a name came twice.
  if (keys !== members) throw new Fault('names a key twice')
  return value
}

function parseWith(text: string, check: Reviver): unknown {
  try {
    return JSON.parse(text, check as (key: string, value: unknown) => unknown)
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('is not one JSON document')
  }
}

function checkNumber(value: number, source: string): void {
  if (!Number.isFinite(value)) throw new Fault('holds a number that is too large')
  if (!isExactNumber(source)) throw new Fault('holds a number that cannot be kept as it is written')
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw new Fault('holds half of a surrogate pair')
}

function countKeys(value: object): number {
  const keys = Object.keys(value)
  for (const key of keys) {
    checkText(key)
    if (key === '__proto__') throw new Fault('has a key called __proto__')
  }
  return keys.length
}

/** Counts the members, and refuses what is nested deeper than a reader may recurse. */
function countMembers(text: string): number {
  let members = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at + 1)
    else if (sign === ':') members++
    else if (sign === '{' || sign === '[') {
      if (++depth > MAX_DEPTH) throw new Fault('is nested too deeply')
    } else if (sign === '}' || sign === ']') depth--
  }
  return members
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') return at
    if (sign === '\\') at++
  }
  throw new Fault('is not one JSON document')
}
