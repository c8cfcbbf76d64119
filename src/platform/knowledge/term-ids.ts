import { classOf, codesOf, findTermEnd, OTHER, TERM_LENGTH_LIMIT, TERM_LIMIT, UPPER } from './split-terms.ts'

/** So many terms are known by number; when there are more, the next document begins anew. */
const IDS_MAX = 49_152
const FIRST_SLOTS = 2 ** 18
const FIRST_CAPACITY = 4_096
const FIRST_LETTERS = 2 ** 20
const HASH_START = 2_166_136_261
const HASH_PRIME = 16_777_619
const BEYOND_ASCII = 128

/** Numbers of terms, one after the other, in room that grows. */
export interface TermIdList {
  items: Int32Array
  length: number
}

let terms: string[] = []
/** The characters of all terms, one after the other, and where those of each begin. */
let letters = new Uint16Array(FIRST_LETTERS)
let starts = new Int32Array(IDS_MAX + 1)
let hashes = new Int32Array(IDS_MAX)
/** Places by hash, each with a number and one more, or 0. */
let slots = new Int32Array(FIRST_SLOTS)
let round = 0

/** A list without a number. */
export function emptyTermIds(): TermIdList {
  return { items: new Int32Array(FIRST_CAPACITY), length: 0 }
}

/**
 * To be called before the first of the terms that belong together: where too many are known they are forgotten.
 * Answers the round; what was kept for the numbers of another one does not count.
 */
export function beginTermIds(): number {
  if (terms.length < IDS_MAX) return round
  terms = []
  letters = new Uint16Array(FIRST_LETTERS)
  starts = new Int32Array(IDS_MAX + 1)
  hashes = new Int32Array(IDS_MAX)
  slots = new Int32Array(FIRST_SLOTS)
  round += 1
  return round
}

/** The term of a number. */
export function termOf(id: number): string {
  return terms[id] as string
}

/** Adds the numbers of a text's terms, the same as `splitTerms` gives, to a list. */
export function readTermIds(text: string, list: TermIdList): void {
  makeRoom(list, text.length)
  const codes = codesOf(text)
  const end_of_list = list.length + TERM_LIMIT
  let at = 0
  while (at < text.length && list.length < end_of_list) {
    const first = classOf(codes[at] as number)
    if (first === OTHER) {
      at++
      continue
    }
    const end = findTermEnd(codes, at, first)
    const id = end - at > TERM_LENGTH_LIMIT ? -1 : findId(codes, at, end, false)
    if (id !== -1) list.items[list.length++] = id
    else addOddTerm(list, first === UPPER ? text.slice(at, end).toLowerCase() : text.slice(at, end))
    at = end
  }
}

/** A term that is too long, or has letters whose small ones only the whole term tells. */
function addOddTerm(list: TermIdList, term: string): void {
  makeRoom(list, term.length)
  for (let at = 0; at < term.length; at += TERM_LENGTH_LIMIT)
    list.items[list.length++] = idOf(term.slice(at, at + TERM_LENGTH_LIMIT))
}

/** The number of a term in small letters. */
export function idOf(term: string): number {
  for (let at = 0; at < term.length; at++) odd[at] = term.charCodeAt(at)
  return findId(odd, 0, term.length, true)
}

const odd = new Uint16Array(TERM_LENGTH_LIMIT)

/** -1 for a term with other letters than those of ASCII, unless they are known to be small ones. */
function findId(codes: Uint16Array, start: number, end: number, is_small: boolean): number {
  let hash = HASH_START
  let all = 0
  for (let at = start; at < end; at++) {
    const code = smallCode(codes[at] as number)
    all |= code
    hash = Math.imul(hash ^ code, HASH_PRIME)
  }
  if (all >= BEYOND_ASCII && !is_small) return -1
  let slot = mix(hash) & (slots.length - 1)
  for (let held = slots[slot] as number; held !== 0; held = slots[slot] as number) {
    if (hashes[held - 1] === hash && isSame(held - 1, codes, start, end)) return held - 1
    slot = (slot + 1) & (slots.length - 1)
  }
  return learn(hash, slot, codes, start, end)
}

function smallCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

function isSame(id: number, codes: Uint16Array, start: number, end: number): boolean {
  const from = starts[id] as number
  const length = end - start
  if ((starts[id + 1] as number) - from !== length) return false
  for (let at = 0; at < length; at++)
    if (letters[from + at] !== smallCode(codes[start + at] as number)) return false
  return true
}

function learn(hash: number, slot: number, codes: Uint16Array, start: number, end: number): number {
  const id = terms.length
  if (id >= hashes.length) growHashes()
  const from = starts[id] as number
  if (from + end - start > letters.length) growLetters()
  for (let at = start; at < end; at++) letters[from + at - start] = smallCode(codes[at] as number)
  const until = from + end - start
  starts[id + 1] = until
  hashes[id] = hash
  terms.push(String.fromCharCode(...letters.subarray(from, until)))
  slots[slot] = id + 1
  if (terms.length * 2 > slots.length) growSlots()
  return id
}

function growLetters(): void {
  const larger = new Uint16Array(letters.length * 2)
  larger.set(letters)
  letters = larger
}

function growHashes(): void {
  const larger = new Int32Array(hashes.length * 2)
  larger.set(hashes)
  hashes = larger
  const more = new Int32Array(larger.length + 1)
  more.set(starts)
  starts = more
}

function growSlots(): void {
  const larger = new Int32Array(slots.length * 2)
  for (let id = 0; id < terms.length; id++) {
    let slot = mix(hashes[id] as number) & (larger.length - 1)
    while (larger[slot] !== 0) slot = (slot + 1) & (larger.length - 1)
    larger[slot] = id + 1
  }
  slots = larger
}

/** The lower bits alone of such a hash are not even. */
function mix(hash: number): number {
  return hash ^ (hash >>> 15)
}

function makeRoom(list: TermIdList, more: number): void {
  if (list.length + more <= list.items.length) return
  const larger = new Int32Array((list.length + more) * 2)
  larger.set(list.items)
  list.items = larger
}
