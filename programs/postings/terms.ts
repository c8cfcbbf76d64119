// Terms by number: the same term has the same number. Eight letters are looked at at once.

import { FIRST_SLOTS, hashes, heads, lengths, letters, slots, starts } from './layout'

const LOW_BITS: u64 = 0x0101010101010101
const HIGH_BITS: u64 = 0x8080808080808080
const BLANK: u8 = 32
const BLANKS: u64 = 0x2020202020202020
const MIX: u64 = 0x9e3779b97f4a7c15

export let terms: i32 = 0
let mask: i32 = 0
let letters_end: i32 = 0

/** Forgets all terms. */
export function forget_terms(): void {
  terms = 0
  letters_end = letters
  mask = FIRST_SLOTS - 1
  memory.fill(slots, 0, FIRST_SLOTS * 4)
}

/** Which letters are blanks: of the first one the highest bit is set, and of none before it. */
// @ts-ignore: decorator
@inline
function find_blank(word: u64): u64 {
  const other = word ^ BLANKS
  return (other - LOW_BITS) & ~other & HIGH_BITS
}

/** The letters before a blank. */
// @ts-ignore: decorator
@inline
function before_blank(word: u64, blank: u64): u64 {
  return word & (((<u64>1) << (ctz(blank) & 56)) - 1)
}

/** Writes the numbers of the terms in a text, with blanks between them; answers how many there are. */
export function read_terms(from: i32, to: i32, out: i32): i32 {
  // The last term ends with the text, whatever comes next.
  const next = load<u8>(to)
  store<u8>(to, BLANK)
  let place = out
  let at = from
  while (at < to) {
    const word = load<u64>(at)
    const blank = find_blank(word)
    const length = <i32>(ctz(blank) >> 3)
    if (blank == 0) at = read_long(at, word, place)
    else if (length == 0) {
      at++
      continue
    } else {
      const head = before_blank(word, blank)
      store<i32>(place, find_short(head, length, at))
      at += length + 1
    }
    place += 4
  }
  store<u8>(to, next)
  return (place - out) >> 2
}

/** A term of eight letters or more; answers where the next one may begin. */
function read_long(from: i32, head: u64, out: i32): i32 {
  let hash = head * MIX
  let at = from + 8
  let word = load<u64>(at)
  let blank = find_blank(word)
  while (blank == 0) {
    hash = (rotl(hash, 23) ^ word) * MIX
    at += 8
    word = load<u64>(at)
    blank = find_blank(word)
  }
  hash = (rotl(hash, 23) ^ before_blank(word, blank)) * MIX
  const length = at + <i32>(ctz(blank) >> 3) - from
  store<i32>(out, find_long(head, length, from, <u32>(hash >> 32)))
  return from + length + 1
}

/** A term whose first letters are all of it, with zeros behind them, which no letter is. */
// @ts-ignore: decorator
@inline
function find_short(head: u64, length: i32, from: i32): i32 {
  const hash = <u32>((head * MIX) >> 32)
  let slot = <i32>hash & mask
  let id = load<i32>(slots + (slot << 2)) - 1
  while (id >= 0 && load<u64>(heads + (id << 3)) != head) {
    slot = (slot + 1) & mask
    id = load<i32>(slots + (slot << 2)) - 1
  }
  return id >= 0 ? id : add_term(head, length, from, hash)
}

function find_long(head: u64, length: i32, from: i32, hash: u32): i32 {
  let slot = <i32>hash & mask
  let id = load<i32>(slots + (slot << 2)) - 1
  while (id >= 0 && !is_term(id, head, length, from)) {
    slot = (slot + 1) & mask
    id = load<i32>(slots + (slot << 2)) - 1
  }
  return id >= 0 ? id : add_term(head, length, from, hash)
}

// @ts-ignore: decorator
@inline
function is_term(id: i32, head: u64, length: i32, from: i32): bool {
  if (load<u64>(heads + (id << 3)) != head || load<i32>(lengths + (id << 2)) != length) return false
  return memory.compare(load<i32>(starts + (id << 2)), from, length) == 0
}

function add_term(head: u64, length: i32, from: i32, hash: u32): i32 {
  const id = terms++
  store<u64>(heads + (id << 3), head)
  store<i32>(lengths + (id << 2), length)
  store<u32>(hashes + (id << 2), hash)
  store<i32>(starts + (id << 2), letters_end)
  memory.copy(letters_end, from, length)
  letters_end += length
  if (terms * 2 > mask) place_anew((mask + 1) * 2)
  else put(id, hash)
  return id
}

function put(id: i32, hash: u32): void {
  let slot = <i32>hash & mask
  while (load<i32>(slots + (slot << 2)) != 0) slot = (slot + 1) & mask
  store<i32>(slots + (slot << 2), id + 1)
}

function place_anew(count: i32): void {
  mask = count - 1
  memory.fill(slots, 0, count * 4)
  for (let id = 0; id < terms; id++) put(id, load<u32>(hashes + (id << 2)))
}
