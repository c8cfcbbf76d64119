// Reads the terms of a text that is all ASCII, from its bytes: the same as `read_wide` would, and most texts are so.

import { TERM_LENGTH_LIMIT } from './layout'
import { add, find_bytes, read, TERM_LIMIT } from './terms'

const STEP: i32 = 16
const CASE_BIT: i32 = 32
const S: i32 = 115

/** Whether all of some bytes are ASCII. */
export function is_plain(from: i32, to: i32): bool {
  let at = from
  for (; at + STEP <= to; at += STEP) if (i8x16.bitmask(v128.load(at)) != 0) return false
  for (; at < to; at++) if (load<i8>(at) < 0) return false
  return true
}

/** Reads the terms of some bytes. */
export function read_plain(from: i32, to: i32): void {
  const limit = read + TERM_LIMIT
  let at = from
  while (at < to && read < limit) {
    const code = <i32>load<u8>(at)
    if (is_small(code | CASE_BIT)) {
      // A capital before small letters is part of their term.
      const end = skip_small(at + 1, to)
      at = take(at, is_small(code) || end > at + 1 ? end : end_of_capitals(at, to))
    } else if (is_digit(code)) at = take(at, skip_digits(at + 1, to))
    else at++
  }
}

// @ts-ignore: decorator
@inline
function is_small(code: i32): bool {
  return <u32>(code - 97) < 26
}

// @ts-ignore: decorator
@inline
function is_digit(code: i32): bool {
  return <u32>(code - 48) < 10
}

/** Behind small letters, sixteen at a step. */
function skip_small(from: i32, to: i32): i32 {
  let at = from
  while (true) {
    const are_small = i8x16.lt_u(i8x16.sub(v128.load(at), i8x16.splat(97)), i8x16.splat(26))
    const others = ~i8x16.bitmask(are_small) & 0xffff
    if (others != 0) return min(at + <i32>ctz(others), to)
    at += STEP
    if (at >= to) return to
  }
}

function skip_digits(from: i32, to: i32): i32 {
  let at = from
  while (at < to && is_digit(<i32>load<u8>(at))) at++
  return at
}

/** The last of several capitals belongs to the small letters behind it, unless these are only a plural. */
function end_of_capitals(from: i32, to: i32): i32 {
  let at = from
  while (at < to && <u32>(<i32>load<u8>(at) - 65) < 26) at++
  if (at == to || !is_small(<i32>load<u8>(at))) return at
  const is_plural = <i32>load<u8>(at) == S && (at + 1 == to || !is_small(<i32>load<u8>(at + 1)))
  return is_plural ? at + 1 : at - 1
}

/** Adds a term, a long one in pieces; answers where it ends. */
function take(from: i32, end: i32): i32 {
  let at = from
  for (; end - at > TERM_LENGTH_LIMIT; at += TERM_LENGTH_LIMIT) add(find_bytes(at, TERM_LENGTH_LIMIT))
  add(find_bytes(at, end - at))
  return end
}
