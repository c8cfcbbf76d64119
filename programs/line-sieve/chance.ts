// Whether a value may stand on a line that looks made by chance: sums of what its letters and digits cost, reckoned in
// twentieths of a bit and never too low, over every stretch that a value may be.

import { costs, JUDGED, sums } from './layout'
import { is_between, is_digit, is_letter } from './tokens'

const EDGE: i32 = 26
const SIDE: i32 = 27
const BLANK: i32 = 32
/** A digit after another one costs a little less than this. */
const DIGIT_AFTER_DIGIT: i32 = 67
const DIGIT_AFTER_LETTER: i32 = 100
/** What a random value costs at least a character, and how long it is at least: with digits, and without. */
const DIGITS_COST: i32 = 94
const DIGITS_LENGTH: i32 = 8
const LETTERS_COST: i32 = 104
const LETTERS_LENGTH: i32 = 14
/** What letters cost at least that no word has in such an order, and how many they are. */
const CHOSEN_COST: i32 = 107
const CHOSEN_LENGTH: i32 = 8
/** Of what is read there, no more is judged. */
const CHOSEN_JUDGED: i32 = 100
const LAST_PRINTABLE: i32 = 126
/** A UUID may be without digits. */
const HEX_RUN: i32 = 8
/** So many digits are enough by themselves. */
const MANY_DIGITS: i32 = 6

/** Whether anything on a line may be taken for a secret in a place that is made for one: digits, or odd letters. */
export function may_be_chosen(line: i32, end: i32): bool {
  let from = line
  let hex = 0
  for (let at = line; at <= end; at++) {
    const code = at < end ? <i32>load<u8>(at) : BLANK
    if (is_digit(code) || code > LAST_PRINTABLE || (code < BLANK && !is_between(code, 9, 13))) return true
    hex = is_between(code | 32, 97, 102) ? hex + 1 : 0
    if (hex == HEX_RUN) return true
    if (code > BLANK) continue
    const length = at - from
    if (length >= CHOSEN_JUDGED || (length >= CHOSEN_LENGTH && has_odd_letters(from, at))) return true
    from = at + 1
  }
  return false
}

function has_odd_letters(from: i32, to: i32): bool {
  return has_costly(from, to, CHOSEN_LENGTH, CHOSEN_COST, false, true)
}

/** Looks at all that stands between blanks. */
export function chance_in(line: i32, end: i32): bool {
  let from = line
  let digits = 0
  for (let at = line; at <= end; at++) {
    const code = at < end ? <i32>load<u8>(at) : BLANK
    if (is_digit(code)) digits++
    if (code > BLANK) continue
    if (at - from >= DIGITS_LENGTH && may_be_random(from, at, digits)) return true
    from = at + 1
    digits = 0
  }
  return false
}

function may_be_random(from: i32, to: i32, digits: i32): bool {
  if (to - from >= JUDGED || digits >= MANY_DIGITS) return true
  if (digits > 0 && has_costly(from, to, DIGITS_LENGTH, DIGITS_COST, false, false)) return true
  return to - from >= LETTERS_LENGTH && has_costly(from, to, LETTERS_LENGTH, LETTERS_COST, true, false)
}

/**
 * Whether a value of `least` characters or more costs as much a letter or digit. What lies before each place is summed
 * up, so that a value's own sum is a difference. Where `is_parted`, a value has no `.` or `/`; where it `is_anywhere`, it
 * may begin and end beside whatever is no letter.
 */
function has_costly(from: i32, to: i32, least: i32, expected: i32, is_parted: bool, is_anywhere: bool): bool {
  let sum = 0
  let lowest = i32.MAX_VALUE
  let floor = from
  let before = EDGE
  let was_digit = false
  let was_lower = false
  for (let at = from; at <= to; at++) {
    const code = at < to ? <i32>load<u8>(at) : BLANK
    const letter = is_letter(code)
    if (!letter && before != EDGE) {
      sum += cost(before, EDGE)
      before = EDGE
    }
    if (at - least >= floor) lowest = min(lowest, load<i32>(sums + ((at - least - from) << 2)))
    if ((is_anywhere ? !letter : ends_value(code)) && sum >= lowest) return true
    if (at == to) break
    const is_start = at == from || (is_anywhere ? !is_letter(<i32>load<u8>(at - 1)) : begins_value(<i32>load<u8>(at - 1)))
    store<i32>(sums + ((at - from) << 2), is_start ? sum : i32.MAX_VALUE)
    if (letter) {
      const is_upper = code < 97
      if (is_upper && was_lower) {
        sum += cost(before, EDGE)
        before = EDGE
      }
      sum += cost(before, (code | 32) - 97) - expected
      before = (code | 32) - 97
      was_lower = !is_upper
      was_digit = false
      continue
    }
    was_lower = false
    const digit = is_digit(code)
    if (digit) sum += (was_digit ? DIGIT_AFTER_DIGIT : DIGIT_AFTER_LETTER) - expected
    was_digit = digit
    if (is_parted && (code == 46 || code == 47)) {
      floor = at + 1
      lowest = i32.MAX_VALUE
    }
  }
  return false
}

/** A quote, an operator or what opens a call stands before a value, unless a blank does. */
function begins_value(code: i32): bool {
  // " ' ` = : , ( >
  return (
    code == 34 || code == 39 || code == 96 || code == 61 || code == 58 || code == 44 || code == 40 || code == 62
  )
}

/** A blank, a quote, a separator, an escape or a closing bracket stands behind a value. */
function ends_value(code: i32): bool {
  // " ' ` , ; < & \ ) ] }
  return (
    code <= BLANK || code == 34 || code == 39 || code == 96 || code == 44 || is_between(code, 59, 60) ||
    code == 38 || code == 92 || code == 41 || code == 93 || code == 125
  )
}

function cost(before: i32, letter: i32): i32 {
  return <i32>(load<f64>(costs + ((before * SIDE + letter) << 3)) * 20)
}
