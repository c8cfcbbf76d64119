// Terms by number: texts are cut into terms, and the same term has the same number until all are forgotten.

import {
  COUNT,
  classes,
  HASH,
  ids,
  input,
  is_full,
  LENGTH,
  letters,
  listed,
  record,
  STEM,
  START,
  scratch,
  slots,
  TERM_LENGTH_LIMIT,
  VECTOR,
  WRITTEN,
} from './layout'

/** The class of a character that was not met before. */
@external('env', 'classify')
declare function classify(code: i32): i32
/** Adds a term whose small letters only a dictionary of them tells, by `add_odd`. */
@external('env', 'read_odd')
declare function read_odd(from: i32, to: i32, is_upper: bool): void

const OTHER: i32 = 0
const LOWER: i32 = 1
const UPPER: i32 = 2
const SINGLE: i32 = 4
const UNKNOWN: i32 = 255
const TERM_LIMIT: i32 = 20_000
const FIRST_SLOTS: i32 = 131_072
const HASH_START: u32 = 2_166_136_261
const HASH_PRIME: u32 = 16_777_619
const BEYOND_ASCII: i32 = 128

export let terms: i32 = 0
let mask: i32 = 0
/** Numbers of terms that were read of the present document. */
export let read: i32 = 0
/** What was kept for numbers of another round does not count. */
export let round: i32 = 0

/** Forgets all terms. */
export function forget_terms(): void {
  terms = 0
  mask = FIRST_SLOTS - 1
  memory.fill(slots, 0, FIRST_SLOTS * 4)
}

/** Begins a document: where too many terms are known, all but the listed ones are forgotten. */
export function begin_document(): void {
  read = 0
  if (!is_full(terms)) return
  terms = listed
  round++
  for (let id = 0; id < listed; id++) store<i32>(record(id), 0, STEM)
  place_anew(FIRST_SLOTS)
}

// @ts-ignore: decorator
@inline
function class_of(code: i32): i32 {
  const known = <i32>load<u8>(classes + code)
  return known == UNKNOWN ? learn_class(code) : known
}

function learn_class(code: i32): i32 {
  const found = classify(code)
  store<u8>(classes + code, <u8>found)
  return found
}

// @ts-ignore: decorator
@inline
function skip(at: i32, wanted: i32): i32 {
  while (class_of(<i32>load<u16>(at)) == wanted) at += 2
  return at
}

/** Where the term ends that begins with a character of this class; after every text comes a blank. */
function find_end(start: i32, first: i32): i32 {
  if (first == SINGLE) return start + 2
  let at = skip(start, first)
  if (first != UPPER || class_of(<i32>load<u16>(at)) != LOWER) return at
  if (at - start == 2) return skip(at, LOWER)
  const is_plural = load<u16>(at) == 115 && class_of(<i32>load<u16>(at + 2)) != LOWER
  return is_plural ? at + 2 : at - 2
}

/** Reads the terms of the characters up to a place of the input; answers how many numbers there are now. */
export function read_terms(to: i32): i32 {
  const limit = read + TERM_LIMIT
  let at = input
  while (at < to && read < limit) {
    const code = <i32>load<u16>(at)
    const first = class_of(code)
    if (first == OTHER) at += 2
    else if (first == LOWER) at = read_small(at, at, HASH_START, first)
    else if (is_capital(code) && is_small(<i32>load<u16>(at, 2)))
      at = read_small(at, at + 2, (HASH_START ^ small_code(code)) * HASH_PRIME, first)
    else at = read_other(at, first)
  }
  return read
}

/** Most terms are small letters of English, or begin with a capital: they are hashed while their end is looked for. */
function read_small(start: i32, from: i32, first_hash: u32, first: i32): i32 {
  let hash = first_hash
  let at = from
  let code = <i32>load<u16>(at)
  while (is_small(code)) {
    hash = (hash ^ code) * HASH_PRIME
    at += 2
    code = <i32>load<u16>(at)
  }
  const length = (at - start) >> 1
  if (length > TERM_LENGTH_LIMIT || (code >= BEYOND_ASCII && class_of(code) == LOWER))
    return read_other(start, first)
  add(find_small(hash, start, length))
  return at
}

function read_other(at: i32, first: i32): i32 {
  const end = find_end(at, first)
  const length = (end - at) >> 1
  const id = length > TERM_LENGTH_LIMIT ? -1 : find_id(at, length, false)
  if (id >= 0) add(id)
  else read_odd((at - input) >> 1, (end - input) >> 1, first == UPPER)
  return end
}

function add(id: i32): void {
  store<i32>(ids + (read << 2), id)
  read++
}

/** Adds the term in small letters that lies in the scratch room. */
export function add_odd(length: i32): void {
  add(find_id(scratch, length, true))
}

/** The number of the term in small letters that lies in the scratch room. */
export function id_of_scratch(length: i32): i32 {
  return find_id(scratch, length, true)
}

// @ts-ignore: decorator
@inline
function is_capital(code: i32): bool {
  return <u32>(code - 65) < 26
}

// @ts-ignore: decorator
@inline
function is_small(code: i32): bool {
  return <u32>(code - 97) < 26
}

// @ts-ignore: decorator
@inline
function small_code(code: i32): i32 {
  return is_capital(code) ? code + 32 : code
}

/** The number of a term; -1 where it has other letters than those of ASCII that are not known to be small ones. */
export function find_id(at: i32, length: i32, is_lower: bool): i32 {
  let hash = HASH_START
  let all = 0
  const end = at + (length << 1)
  for (let place = at; place < end; place += 2) {
    const code = small_code(<i32>load<u16>(place))
    all |= code
    hash = (hash ^ code) * HASH_PRIME
  }
  if (all >= BEYOND_ASCII && !is_lower) return -1
  let slot = mix(hash) & mask
  while (true) {
    const id = load<i32>(slots + (slot << 2)) - 1
    if (id < 0) return learn(hash, slot, at, length)
    if (hash_of(id) == hash && is_same(id, at, length)) return id
    slot = (slot + 1) & mask
  }
}

/** The same for a term that has small letters of ASCII alone, but for the first. */
function find_small(hash: u32, at: i32, length: i32): i32 {
  let slot = mix(hash) & mask
  while (true) {
    const id = load<i32>(slots + (slot << 2)) - 1
    if (id < 0) return learn(hash, slot, at, length)
    if (hash_of(id) == hash && has_same_small(id, at, length)) return id
    slot = (slot + 1) & mask
  }
}

/** The lower bits alone of such a hash are not even. */
// @ts-ignore: decorator
@inline
function mix(hash: u32): i32 {
  return <i32>(hash ^ (hash >> 15))
}

function is_same(id: i32, at: i32, length: i32): bool {
  const from = letters_of(id)
  if (length_of(id) != length) return false
  for (let offset = 0; offset < length << 1; offset += 2)
    if (<i32>load<u16>(from + offset) != small_code(<i32>load<u16>(at + offset))) return false
  return true
}

/** Four letters at a step. */
function has_same_small(id: i32, at: i32, length: i32): bool {
  if (length_of(id) != length) return false
  const from = letters_of(id)
  if (<i32>load<u16>(from) != small_code(<i32>load<u16>(at))) return false
  const last = length << 1
  let offset = 2
  for (; offset + 8 <= last; offset += 8) if (load<u64>(from + offset) != load<u64>(at + offset)) return false
  const kept = ((<u64>1) << ((last - offset) << 3)) - 1
  return ((load<u64>(from + offset) ^ load<u64>(at + offset)) & kept) == 0
}

function learn(hash: u32, slot: i32, at: i32, length: i32): i32 {
  const id = terms++
  const term = record(id)
  const from = id == 0 ? letters : letters_of(id - 1) + (length_of(id - 1) << 1)
  for (let offset = 0; offset < length << 1; offset += 2)
    store<u16>(from + offset, <u16>small_code(<i32>load<u16>(at + offset)))
  store<i32>(term, from, START)
  store<i32>(term, length, LENGTH)
  store<u32>(term, hash, HASH)
  store<i32>(term, 0, STEM)
  store<i32>(term, 0, COUNT)
  store<i32>(term, 0, VECTOR)
  store<i32>(term, 0, WRITTEN)
  store<i32>(slots + (slot << 2), id + 1)
  if (terms << 1 > mask) place_anew((mask + 1) << 1)
  return id
}

function place_anew(slot_count: i32): void {
  mask = slot_count - 1
  memory.fill(slots, 0, slot_count << 2)
  for (let id = 0; id < terms; id++) {
    let slot = mix(hash_of(id)) & mask
    while (load<i32>(slots + (slot << 2)) != 0) slot = (slot + 1) & mask
    store<i32>(slots + (slot << 2), id + 1)
  }
}

/** Where the letters of a term lie. */
// @ts-ignore: decorator
@inline
export function letters_of(id: i32): i32 {
  return load<i32>(record(id), START)
}

// @ts-ignore: decorator
@inline
export function length_of(id: i32): i32 {
  return load<i32>(record(id), LENGTH)
}

// @ts-ignore: decorator
@inline
export function hash_of(id: i32): u32 {
  return load<u32>(record(id), HASH)
}
