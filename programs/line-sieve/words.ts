// Lines with a word on them that may name a secret, and with nothing else of interest. Most give no secret to any name,
// and that can be told without reading names and values: what the keyword layer takes for a secret has one of a few
// properties, whatever it is given to. Words for passwords are not for here, since anything may be a password.

import { chance_in } from './chance'
import { JUDGED, kinds } from './layout'
import { has_naming, has_secret_key } from './names'
import { is_between, is_digit, is_letter } from './tokens'

const BACKSLASH: i32 = 92
const DOUBLE_QUOTE: i32 = 34
const SINGLE_QUOTE: i32 = 39
const BACKTICK: i32 = 96
const EQUALS: i32 = 61
const BLANK: i32 = 32
/** A UUID has so many hexadecimal digits beside each other, and every other number that is taken for a secret. */
const HEX_RUN: i32 = 8
/** Base64 with its padding has so many characters before it. */
const PADDED_RUN: i32 = 10
const MIN_VALUE: i32 = 6
const MIN_MIXED: i32 = 8
const MAX_DEPTH: i32 = 31

/** Of each byte: not read here, a digit, a quote, a sign that is odd in a value, a bracket that closes. */
const ODD: i32 = 1
const DIGIT: i32 = 2
const QUOTE: i32 = 4
const SIGN: i32 = 8
const CLOSER: i32 = 16

export function put_kinds(): void {
  for (let code = 0; code < 256; code++) store<u8>(kinds + code, <u8>kind_of(code))
}

function kind_of(code: i32): i32 {
  // What is not printable ASCII or a blank is read in ways that are not for here.
  if (code > 126 || (code < BLANK && !is_between(code, 9, 13))) return ODD
  if (is_digit(code)) return DIGIT
  if (is_quote(code)) return QUOTE
  if (is_odd_sign(code)) return SIGN
  return code == 41 || code == 93 || code == 125 ? CLOSER : 0
}

/** Whether such a line may give a secret to a name, or leave a name that waits for one. */
export function may_give(line: i32, end: i32, says_secret: bool): bool {
  let has = 0
  for (let at = line; at < end; at++) has |= <i32>load<u8>(kinds + load<u8>(at))
  if (has & ODD) return true
  if (has & QUOTE && has & (DIGIT | SIGN) && has_signs(line, end)) return true
  if (has & SIGN && has & CLOSER && is_misnested(line, end)) return true
  if (has & QUOTE && has & DIGIT && has_signed_text(line, end)) return true
  if (has_number(line, end) || chance_in(line, end)) return true
  return (ends_open(line, end) || has_naming(line, end)) && (says_secret || has_secret_key(line, end))
}

/** A sign at the end of the line after which a value may follow on the next one. */
function ends_open(line: i32, end: i32): bool {
  let last = end - 1
  while (last >= line && <i32>load<u8>(last) <= BLANK) last--
  if (last < line) return false
  const code = <i32>load<u8>(last)
  // : = > \ [ | + -
  return (
    code == 58 || code == EQUALS || code == 62 || code == BACKSLASH || code == 91 || code == 124 || code == 43 || code == 45
  )
}

/** A long hexadecimal number, or base64 with its padding. */
function has_number(line: i32, end: i32): bool {
  let hex = 0
  let base64 = 0
  for (let at = line; at < end; at++) {
    const code = <i32>load<u8>(at)
    const digit = is_digit(code)
    hex = digit || is_between(code | 32, 97, 102) ? hex + 1 : 0
    if (hex >= HEX_RUN || (code == EQUALS && base64 >= PADDED_RUN)) return true
    // + and /
    base64 = digit || is_letter(code) || code == 43 || code == 47 ? base64 + 1 : 0
  }
  return false
}

/** Behind a quote: a text of one piece with a sign in it that no code has there, or with a digit and any sign. */
function has_signs(line: i32, end: i32): bool {
  let odd_from = 0
  let has_odd = false
  let mixed_from = 0
  let has_digit = false
  let has_sign = false
  for (let at = line; at <= end; at++) {
    const code = at < end ? <i32>load<u8>(at) : BLANK
    if (code <= BLANK || parts_odd(code)) {
      if (has_odd && at - odd_from >= MIN_VALUE) return true
      odd_from = 0
      has_odd = false
    } else if (odd_from != 0) has_odd = has_odd || is_odd_sign(code)
    if (code <= BLANK || parts_mixed(code)) {
      if (has_digit && has_sign && at - mixed_from >= MIN_MIXED) return true
      mixed_from = 0
      has_digit = false
      has_sign = false
    } else if (mixed_from != 0) {
      if (is_digit(code)) has_digit = true
      else has_sign = has_sign || (!is_letter(code) && code != 95)
    }
    if (!is_quote(code)) continue
    if (odd_from == 0) odd_from = at + 1
    if (mixed_from == 0) mixed_from = at + 1
  }
  return false
}

/** < > { } ( ) [ ] \ / */
function parts_odd(code: i32): bool {
  return (
    code == 60 || code == 62 || code == 123 || code == 125 || code == 40 || code == 41 ||
    code == 91 || code == 93 || code == BACKSLASH || code == 47
  )
}

/** . : / \ */
function parts_mixed(code: i32): bool {
  return code == 46 || code == 58 || code == 47 || code == BACKSLASH
}

/** ! @ # $ % ^ & * ? ~ */
function is_odd_sign(code: i32): bool {
  return (
    code == 33 || code == 64 || is_between(code, 35, 38) || code == 94 || code == 42 || code == 63 || code == 126
  )
}

/** A bracket that closes another kind than was opened last. */
function is_misnested(line: i32, end: i32): bool {
  let open: u64 = 0
  let depth = 0
  for (let at = line; at < end; at++) {
    const code = <i32>load<u8>(at)
    const opens = kind_of_opener(code)
    const closes = kind_of_opener(code == 41 ? 40 : code - 2)
    if (opens != 0) {
      if (depth == MAX_DEPTH) return true
      open = (open << 2) | opens
      depth++
    } else if (closes != 0 && depth > 0) {
      if ((open & 3) != closes) return true
      open >>= 2
      depth--
    }
  }
  return false
}

/** ( [ { */
function kind_of_opener(code: i32): u64 {
  if (code == 40) return 1
  if (code == 91) return 2
  return code == 123 ? 3 : 0
}

const MIN_SIGNED: i32 = 24
const MIN_SIGNS: i32 = 6
const SIGNED_BLANKS: i32 = 4
const WORD_LETTERS: i32 = 7

/** Behind a quote: a long text of signs and digits without a word in it, as salts are made. */
function has_signed_text(line: i32, end: i32): bool {
  for (let at = line; at < end; at++)
    if (is_quote(<i32>load<u8>(at)) && is_signed(at + 1, min(end, at + 1 + JUDGED))) return true
  return false
}

function is_signed(from: i32, stop: i32): bool {
  let blanks = 0
  let letters = 0
  let signs = 0
  let has_digit = false
  for (let at = from; at < stop; at++) {
    const code = <i32>load<u8>(at)
    letters = is_letter(code) ? letters + 1 : 0
    if (code <= BLANK) blanks++
    else if (is_digit(code)) has_digit = true
    else if (letters == 0) signs++
    if (letters == WORD_LETTERS || blanks == SIGNED_BLANKS) return false
    if (has_digit && signs >= MIN_SIGNS && at - from + 1 >= MIN_SIGNED) return true
  }
  return false
}

function is_quote(code: i32): bool {
  return code == DOUBLE_QUOTE || code == SINGLE_QUOTE || code == BACKTICK
}
