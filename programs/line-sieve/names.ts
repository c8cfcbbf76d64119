// What names on a line may say, as far as it can be told without reading them.

import { endings } from './layout'
import { is_between, is_digit, is_letter } from './tokens'

const BLANK: i32 = 32
const EDGE: i32 = 26
const SIDE: i32 = 27
/** The names that hold a name, each as a number of its letters. */
const NAME: u64 = 0x656d616e
const KEY: u64 = 0x79656b
const ID: u64 = 0x6469
const FIELD: u64 = 0x646c656966
const PROPERTY: u64 = 0x79747265706f7270
const HEADER: u64 = 0x726564616568
const VARIABLE: u64 = 0x656c626169726176
const VAR: u64 = 0x726176
const SETTING: u64 = 0x676e6974746573
const K: u64 = 0x6b

/** Whether a name stands on the line whose value is a name: `name: "apiKey"` lends what that says to the next line. */
export function has_naming(line: i32, end: i32): bool {
  for (let at = line; at < end; ) {
    const from = at
    let letters: u64 = 0
    while (at < end && is_name(<i32>load<u8>(at))) {
      const shift = (at - from) << 3
      if (shift < 64) letters |= <u64>(load<u8>(at) | 32) << shift
      at++
    }
    if (is_naming(letters, at - from) && stands_alone(from, at, line, end)) return true
    if (at == from) at++
  }
  return false
}

/** Whether the word `key` stands behind one that may make it a secret: `apiKey`, `access_keys`, `storage[key]`. */
export function has_secret_key(line: i32, end: i32): bool {
  for (let at = line + 1; at + 2 < end; at++)
    if (is_key(at) && ends_word(at + 3, end) && qualifies(line, at)) return true
  return false
}

/** No small letter goes on the word, except for what makes more of it: `keys`, `keyid`. */
function ends_word(from: i32, end: i32): bool {
  let at = from
  if (at < end && (load<u8>(at) | 32) == 115) at++
  if (at + 1 < end && (load<u8>(at) | 32) == 105 && (load<u8>(at + 1) | 32) == 100) at += 2
  return !is_small(from, end) || !is_small(at, end)
}

function is_small(at: i32, end: i32): bool {
  return at < end && is_between(<i32>load<u8>(at), 97, 122)
}

/** Whether the letters before a place, digits and signs aside, end as one of the words does that qualify a key. */
function qualifies(line: i32, place: i32): bool {
  let at = place - 1
  while (at >= line && !is_letter(<i32>load<u8>(at))) at--
  if (at < line) return false
  const last = letter_at(at, line)
  const second = letter_at(at - 1, line)
  const third = letter_at(at - 2, line)
  if (ends_so(third, second, last)) return true
  // A shorter word is parted from what stands before it by a sign, or by a capital.
  if (ends_so(EDGE, second, last) && (third == EDGE || load<u8>(at - 1) < 97)) return true
  return ends_so(EDGE, EDGE, last) && (second == EDGE || load<u8>(at) < 97)
}

function letter_at(at: i32, line: i32): i32 {
  return at >= line && is_letter(<i32>load<u8>(at)) ? (<i32>load<u8>(at) | 32) - 97 : EDGE
}

function ends_so(third: i32, second: i32, last: i32): bool {
  return load<u8>(endings + (third * SIDE + second) * SIDE + last) != 0
}

function is_key(at: i32): bool {
  return (load<u8>(at) | 32) == 107 && (load<u8>(at + 1) | 32) == 101 && (load<u8>(at + 2) | 32) == 121
}

function is_naming(letters: u64, length: i32): bool {
  if (length == 0 || length > 8) return false
  return (
    letters == NAME || letters == KEY || letters == ID || letters == FIELD || letters == PROPERTY ||
    letters == HEADER || letters == VARIABLE || letters == VAR || letters == SETTING || letters == K
  )
}

/** Not as a part of a longer name. */
function stands_alone(from: i32, to: i32, line: i32, end: i32): bool {
  if (from > line && load<u8>(from - 1) == 46) return false
  const next = to < end ? <i32>load<u8>(to) : BLANK
  // $ and -
  return next != 36 && next != 45
}

function is_name(code: i32): bool {
  return is_letter(code) || is_digit(code) || code == 95
}
