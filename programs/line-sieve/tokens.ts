// Runs of token characters: the same sums as `surprise` makes, in the same order, so that both decide alike.

import { costs } from './layout'

const MIN_BITS: f64 = 5.2
const MAX_JUDGED: i32 = 256
const DIGIT_AFTER_DIGIT_BITS: f64 = 3.3
const DIGIT_AFTER_LETTER_BITS: f64 = 5
const EDGE: i32 = 26
const SIDE: i32 = 27

/** Whether a run is one that has to be looked at: letters beyond hexadecimal ones, digits, and enough surprise. */
export function is_token(start: i32, end: i32): bool {
  if (!is_mixed(start, end)) return false
  return may_have_shape(end - start) || surprise(start, min(end, start + MAX_JUDGED)) >= MIN_BITS
}

function is_mixed(start: i32, end: i32): bool {
  let has_far = false
  let has_digit = false
  for (let at = start; at < end; at++) {
    const code = <i32>load<u8>(at)
    if (is_digit(code)) has_digit = true
    else if (is_between(code | 32, 103, 122)) has_far = true
    if (has_far && has_digit) return true
  }
  return false
}

function may_have_shape(length: i32): bool {
  return is_between(length, 34, 37) || length == 40 || length == 47 || length == 58 || length == 82
}

function surprise(start: i32, stop: i32): f64 {
  let bits: f64 = 0
  let counted = 0
  let before = EDGE
  let was_digit = false
  let was_lower = false
  for (let at = start; at < stop; at++) {
    const code = <i32>load<u8>(at)
    const is_upper = is_between(code, 65, 90)
    if (is_upper || is_between(code, 97, 122)) {
      if (is_upper && was_lower) {
        bits += cost(before, EDGE)
        before = EDGE
      }
      const letter = (code | 32) - 97
      bits += cost(before, letter)
      before = letter
      counted++
      was_lower = !is_upper
      was_digit = false
      continue
    }
    if (before != EDGE) bits += cost(before, EDGE)
    before = EDGE
    was_lower = false
    const digit = is_digit(code)
    if (digit) {
      bits += was_digit ? DIGIT_AFTER_DIGIT_BITS : DIGIT_AFTER_LETTER_BITS
      counted++
    }
    was_digit = digit
  }
  return counted == 0 ? 0 : bits / <f64>counted
}

// @ts-ignore: decorator
@inline
function cost(before: i32, letter: i32): f64 {
  return load<f64>(costs + ((before * SIDE + letter) << 3))
}

// @ts-ignore: decorator
@inline
export function is_letter(code: i32): bool {
  return is_between(code | 32, 97, 122)
}

// @ts-ignore: decorator
@inline
export function is_digit(code: i32): bool {
  return is_between(code, 48, 57)
}

// @ts-ignore: decorator
@inline
export function is_between(code: i32, low: i32, high: i32): bool {
  return <u32>(code - low) <= <u32>(high - low)
}
