// Terms by number: the same term has the same number until all are forgotten.

import {
  COUNT,
  HASH,
  ids,
  is_full,
  KEY,
  LENGTH,
  letters,
  listed,
  PACKED,
  record,
  STEM,
  START,
  scratch,
  slots,
  VECTOR,
  WRITTEN,
} from './layout'

export const TERM_LIMIT: i32 = 20_000
const FIRST_SLOTS: i32 = 131_072
const HASH_START: u32 = 2_166_136_261
const HASH_PRIME: u32 = 16_777_619
const BEYOND_ASCII: i32 = 128
/** Small letters have this bit, and so have digits. */
const SMALL_BITS: u64 = 0x2020202020202020
const MIX: u64 = 0x9e3779b97f4a7c15
const OTHER_MIX: u64 = 0xc2b2ae3d27d4eb4f
/** In the place of letters of which some are not ASCII. */
const UNPACKED: u64 = 0xffffffffffffffff

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

/** Adds the number of a term to those of the present document. */
export function add(id: i32): void {
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
export function find_id(at: i32, length: i32, is_lower: bool): i32 {
  let all = 0
  for (let offset = 0; offset < length << 1; offset += 2) all |= <i32>load<u16>(at + offset)
  if (all < BEYOND_ASCII) return find_narrow(at, length)
  return is_lower ? find_wide(at, length) : -1
}

/** A term of characters that are all ASCII. */
function find_narrow(at: i32, length: i32): i32 {
  const zero = i8x16.splat(0)
  const low = i8x16.narrow_i16x8_u(v128.load(at), v128.load(at, 16))
  const high = i8x16.narrow_i16x8_u(v128.load(at, 32), zero)
  return find_packed(
    small_part(i64x2.extract_lane(low, 0), length),
    small_part(i64x2.extract_lane(low, 1), length - 8),
    small_part(i64x2.extract_lane(high, 0), length - 16),
    length,
  )
}

/** A term of letters or digits that are bytes. */
export function find_bytes(at: i32, length: i32): i32 {
  const first = small_part(load<u64>(at), length)
  if (length <= 8) return find_packed(first, 0, 0, length)
  return find_packed(first, small_part(load<u64>(at, 8), length - 8), small_part(load<u64>(at, 16), length - 16), length)
}

/** As many letters of eight as there are, in small ones. */
// @ts-ignore: decorator
@inline
function small_part(eight: u64, length: i32): u64 {
  if (length >= 8) return eight | SMALL_BITS
  return length <= 0 ? 0 : (eight | SMALL_BITS) & (((<u64>1) << (length << 3)) - 1)
}

function find_packed(first: u64, second: u64, third: u64, length: i32): i32 {
  const mixed = (first ^ (second * OTHER_MIX) ^ (third * MIX)) * MIX
  const key = <u32>(mixed >> 32)
  let slot = <i32>key & mask
  while (true) {
    const id = load<i32>(slots + (slot << 2)) - 1
    if (id < 0) return learn_packed(key, slot, first, second, third, length)
    const term = record(id)
    if (load<u64>(term, PACKED) == first && load<u64>(term, PACKED + 8) == second && load<u64>(term, PACKED + 16) == third)
      return id
    slot = (slot + 1) & mask
  }
}

function learn_packed(key: u32, slot: i32, first: u64, second: u64, third: u64, length: i32): i32 {
  const term = record(terms)
  store<u64>(term, first, PACKED)
  store<u64>(term, second, PACKED + 8)
  store<u64>(term, third, PACKED + 16)
  const from = next_letters()
  for (let at = 0; at < length; at++) store<u16>(from + (at << 1), <u16>load<u8>(term + at, PACKED))
  return learn(key, slot, from, length)
}

/** A term with other letters than those of ASCII, all of them small ones. */
function find_wide(at: i32, length: i32): i32 {
  const hash = hash_letters(at, length)
  let slot = <i32>hash & mask
  while (true) {
    const id = load<i32>(slots + (slot << 2)) - 1
    if (id < 0) break
    if (hash_of(id) == hash && is_same(id, at, length)) return id
    slot = (slot + 1) & mask
  }
  const from = next_letters()
  memory.copy(from, at, length << 1)
  store<u64>(record(terms), UNPACKED, PACKED)
  return learn(hash, slot, from, length)
}

/** FNV-1a. */
function hash_letters(at: i32, length: i32): u32 {
  let hash = HASH_START
  for (let offset = 0; offset < length << 1; offset += 2) hash = (hash ^ load<u16>(at + offset)) * HASH_PRIME
  return hash
}

function is_same(id: i32, at: i32, length: i32): bool {
  return length_of(id) == length && memory.compare(letters_of(id), at, length << 1) == 0
}

/** Where the letters of the next term come. */
function next_letters(): i32 {
  return terms == 0 ? letters : letters_of(terms - 1) + (length_of(terms - 1) << 1)
}

/** Makes a term of letters that are in their place already. */
function learn(key: u32, slot: i32, from: i32, length: i32): i32 {
  const id = terms++
  const term = record(id)
  store<i32>(term, from, START)
  store<i32>(term, length, LENGTH)
  store<u32>(term, hash_letters(from, length), HASH)
  store<u32>(term, key, KEY)
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
    let slot = load<i32>(record(id), KEY) & mask
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
