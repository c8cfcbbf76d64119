// Terms by number: texts are cut into terms, and the same term has the same number until all are forgotten.

import {
  classes,
  hashes,
  ids,
  input,
  is_full,
  letters,
  listed,
  places,
  scratch,
  slots,
  starts,
  stems,
  TERM_LENGTH_LIMIT,
  vectors,
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
  store<i32>(starts, 0)
}

/** Begins a document: where too many terms are known, all but the listed ones are forgotten. */
export function begin_document(): void {
  read = 0
  if (!is_full(terms)) return
  terms = listed
  round++
  memory.fill(stems, 0, listed << 2)
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

/** Reads the terms between two places of the input; answers how many numbers there are now. */
export function read_terms(from: i32, to: i32): i32 {
  const limit = read + TERM_LIMIT
  let at = from
  while (at < to && read < limit) {
    const first = class_of(<i32>load<u16>(at))
    if (first == OTHER) {
      at += 2
      continue
    }
    const end = find_end(at, first)
    const length = (end - at) >> 1
    const id = length > TERM_LENGTH_LIMIT ? -1 : find_id(at, length, false)
    if (id >= 0) add(id)
    else read_odd((at - input) >> 1, (end - input) >> 1, first == UPPER)
    at = end
  }
  return read
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
function small_code(code: i32): i32 {
  return <u32>(code - 65) < 26 ? code + 32 : code
}

/** The number of a term; -1 where it has other letters than those of ASCII that are not known to be small ones. */
export function find_id(at: i32, length: i32, is_small: bool): i32 {
  let hash = HASH_START
  let all = 0
  const end = at + (length << 1)
  for (let place = at; place < end; place += 2) {
    const code = small_code(<i32>load<u16>(place))
    all |= code
    hash = (hash ^ code) * HASH_PRIME
  }
  if (all >= BEYOND_ASCII && !is_small) return -1
  let slot = mix(hash) & mask
  for (let held = load<i32>(slots + (slot << 2)); held != 0; held = load<i32>(slots + (slot << 2))) {
    if (load<u32>(hashes + ((held - 1) << 2)) == hash && is_same(held - 1, at, length)) return held - 1
    slot = (slot + 1) & mask
  }
  return learn(hash, slot, at, length)
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

function learn(hash: u32, slot: i32, at: i32, length: i32): i32 {
  const id = terms++
  const place = id << 2
  const from = load<i32>(starts + place)
  for (let offset = 0; offset < length; offset++)
    store<u16>(letters + ((from + offset) << 1), <u16>small_code(<i32>load<u16>(at + (offset << 1))))
  store<i32>(starts + place + 4, from + length)
  store<u32>(hashes + place, hash)
  store<i32>(stems + place, 0)
  store<i32>(vectors + place, 0)
  store<i32>(places + place, 0)
  store<i32>(slots + (slot << 2), id + 1)
  if (terms << 1 > mask) place_anew((mask + 1) << 1)
  return id
}

function place_anew(slot_count: i32): void {
  mask = slot_count - 1
  memory.fill(slots, 0, slot_count << 2)
  for (let id = 0; id < terms; id++) {
    let slot = mix(load<u32>(hashes + (id << 2))) & mask
    while (load<i32>(slots + (slot << 2)) != 0) slot = (slot + 1) & mask
    store<i32>(slots + (slot << 2), id + 1)
  }
}

/** Where the letters of a term lie. */
// @ts-ignore: decorator
@inline
export function letters_of(id: i32): i32 {
  return letters + (load<i32>(starts + (id << 2)) << 1)
}

// @ts-ignore: decorator
@inline
export function length_of(id: i32): i32 {
  return load<i32>(starts + (id << 2) + 4) - load<i32>(starts + (id << 2))
}

// @ts-ignore: decorator
@inline
export function hash_of(id: i32): u32 {
  return load<u32>(hashes + (id << 2))
}
