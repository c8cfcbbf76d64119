// Reads the terms of a text of any characters: what `splitTerms` would make of it.

import { classes, input, TERM_LENGTH_LIMIT } from './layout'
import { add, find_id, read, TERM_LIMIT } from './terms'
import { widen } from './widen'

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

/** Reads the terms of some bytes. */
export function read_wide(from: i32, to: i32): void {
  const end = widen(from, to, input)
  const limit = read + TERM_LIMIT
  let at = input
  while (at < end && read < limit) {
    const first = class_of(<i32>load<u16>(at))
    at = first == OTHER ? at + 2 : read_term(at, first)
  }
}

function read_term(at: i32, first: i32): i32 {
  const end = find_end(at, first)
  const length = (end - at) >> 1
  const id = length > TERM_LENGTH_LIMIT ? -1 : find_id(at, length, false)
  if (id >= 0) add(id)
  else read_odd((at - input) >> 1, (end - input) >> 1, first == UPPER)
  return end
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

// @ts-ignore: decorator
@inline
function skip(at: i32, wanted: i32): i32 {
  while (class_of(<i32>load<u16>(at)) == wanted) at += 2
  return at
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
