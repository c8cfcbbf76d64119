import { describe, expect, test } from 'vitest'
import { isJsonSafe, MAX_DEPTH, MAX_PARTS, noteUnsafe } from './json-safe.ts'
import type { Found } from './violation.ts'

/** An object with so many levels of objects (or lists) in it, itself included. */
function nested(levels: number, leaf: unknown = 1, inLists = false): { [key: string]: unknown } {
  let value: unknown = leaf
  for (let level = 1; level < levels; level++) value = inLists ? [value] : { a: value }
  return { a: value }
}

function faultsOf(value: unknown): string[] {
  const found: Found = []
  noteUnsafe(value, '', found)
  return found.map(({ message }) => message)
}

const list = (length: number) => Array.from({ length }, () => 0)

describe.each([
  ['objects', false],
  ['lists', true],
])('depth in %s', (_what, inLists) => {
  test.each([
    [MAX_DEPTH - 1, true],
    [MAX_DEPTH, true],
    [MAX_DEPTH + 1, false],
  ])('%i levels: %s', (levels, isSafe) => {
    for (const leaf of [1, 'text', null, true]) expect(isJsonSafe(nested(levels, leaf, inLists))).toBe(isSafe)
    if (!isSafe) expect(faultsOf(nested(levels, 1, inLists))).toEqual(['is nested too deeply'])
  })

  test('an empty one counts as a level of its own', () => {
    const empty = () => (inLists ? [] : {})
    expect(isJsonSafe(nested(MAX_DEPTH - 1, empty(), inLists))).toBe(true)
    expect(isJsonSafe(nested(MAX_DEPTH, empty(), inLists))).toBe(false)
  })
})

describe('parts', () => {
  // The list itself is a part, too.
  test.each([
    [MAX_PARTS - 2, true],
    [MAX_PARTS - 1, true],
    [MAX_PARTS, false],
  ])('%i elements of one list: %s', (length, isSafe) => {
    expect(isJsonSafe({ a: list(length) })).toBe(isSafe)
  })

  test('of several lists and of members are counted together', () => {
    const half = MAX_PARTS / 2
    expect(isJsonSafe({ a: list(half - 1), b: list(half - 1) })).toBe(true)
    expect(isJsonSafe({ a: list(half - 1), b: list(half) })).toBe(false)
    const full = { a: list(MAX_PARTS - 2), b: 1 }
    expect([isJsonSafe(full), isJsonSafe({ ...full, c: 1 })]).toEqual([true, false])
    expect(faultsOf({ ...full, c: 1 })).toEqual(['has more parts than are allowed'])
  })
})

test.each([
  ['a half of a pair', '\ud800', 'must not hold half of a surrogate pair'],
  ['no number', Number.NaN, 'must be a finite number'],
  ['a number beyond all', Number.POSITIVE_INFINITY, 'must be a finite number'],
  ['nothing', undefined, 'must not be of type undefined'],
  ['a function', () => 1, 'must not be of type function'],
  ['a whole number of another kind', 1n, 'must not be of type bigint'],
  ['an object of a class', new Date(0), 'must be a plain object'],
  ['a list with a gap', Array(1), 'has members that JSON does not carry'],
  ['a list with a name', Object.assign([1], { name: 1 }), 'has members that JSON does not carry'],
  ['a member by a symbol', { [Symbol('s')]: 1 }, 'has members that JSON does not carry'],
  ['a name that is half of a pair', { '\udc00': 1 }, 'has members that JSON does not carry'],
])('%s is not safe, as a member and as an element', (_what, value, message) => {
  for (const holder of [{ a: value }, { a: [value] }, { a: { b: value } }]) {
    expect(isJsonSafe(holder)).toBe(false)
    expect(faultsOf(holder)[0]).toBe(message)
  }
})

test('names of what objects bring along are plain names', () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf'])
    expect(isJsonSafe({ [name]: { [name]: 1 } })).toBe(true)
})
