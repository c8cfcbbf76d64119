// One walk over the bytes of a text: which of its lines have anything on them that has to be looked at.

import { may_be_chosen } from './chance'
import { lengths, RANGES, ROW_BITS, ranges, rows, tellings, text, traits } from './layout'
import { is_between, is_digit, is_letter, is_token } from './tokens'
import { may_give } from './words'

/** What a state tells of the line it is met on. */
const OF_INTEREST: i32 = 1
const WORD: i32 = 2
const ADDRESS: i32 = 4
const BEGINNING: i32 = 8
const LINE_END: i32 = 16
/** Beside a word, an address or such a place, this is of interest. */
const BESIDE: i32 = 32
const SAYS_SECRET: i32 = 64
/** The word `pass`: it depends on what follows whether a word for a password may be made of it. */
const PASS: i32 = 128
/** A place for a secret, which is none unless it looks chosen or made by chance. */
const CHOSEN: i32 = 256

const COLUMN_BITS: i32 = (1 << ROW_BITS) - 1
/** Of a byte: no token goes on over it. */
const PARTS_TOKENS: i32 = 128
const MIN_TOKEN: i32 = 16
/** A longer line is looked at in pieces, which is not for here to say. */
const LONG_LINE: i32 = 16_384
const NEWLINE: u8 = 10
const AT_SIGN: i32 = 64
const PERCENT: i32 = 37
const BACKSLASH: i32 = 92
/** The longest escape. */
const ESCAPE_BYTES: i32 = 6
const BEYOND_ASCII: u8 = 128

let first_loud: i32 = 0
let found: i32 = 0

export function set_first_loud(place: i32): void {
  first_loud = place
}

/** Writes from where to where lines of interest stand, those beside each other as one; -1 where they are too many. */
export function walk(length: i32): i32 {
  const loud = first_loud
  const table = rows
  const kinds = traits
  const stop = text + length
  store<u8>(stop, NEWLINE)
  found = 0
  let place = 0
  let told = 0
  let address = 0
  let line = text
  let token = text
  for (let at = text; at <= stop; at++) {
    const trait = <i32>load<u8>(kinds + load<u8>(at))
    place = <i32>load<u16>(table + (((place << ROW_BITS) + (trait & COLUMN_BITS)) << 1))
    const parts = trait & PARTS_TOKENS
    if (parts && at - token >= MIN_TOKEN && is_token(token, at)) told |= OF_INTEREST
    token = select(at + 1, token, parts)
    if (place < loud) continue
    const tells = <i32>load<u16>(tellings + ((place - loud) << 1))
    if (tells == LINE_END) {
      if (told && is_of_interest(told, address, line, at) || at - line >= LONG_LINE) {
        if (!add_range(line - text, at - text)) return -1
      }
      told = 0
      line = at + 1
      continue
    }
    if (tells & ADDRESS && !(told & ADDRESS)) address = at
    if (tells & BEGINNING && may_begin(at + 1 - <i32>load<u8>(lengths + place - loud), at + 1, line))
      told |= OF_INTEREST
    if (tells & PASS && is_password(at + 1)) told |= BESIDE
    told |= tells & ~(BEGINNING | PASS)
  }
  return found
}

function is_of_interest(told: i32, address: i32, line: i32, end: i32): bool {
  if (told & OF_INTEREST) return true
  if (told & BESIDE && told & (WORD | ADDRESS | CHOSEN)) return true
  if (told & CHOSEN && may_be_chosen(line, end)) return true
  if (told & WORD && may_give(line, end, (told & SAYS_SECRET) != 0)) return true
  return told & ADDRESS ? has_at_sign(address, end) : false
}

/** Not `passed`, `passing` or `passthrough`. The text goes on behind its end with the end of a line. */
function is_password(at: i32): bool {
  const code = <i32>load<u8>(at)
  if (!is_small(code)) return true
  // passe, and passcode, passord, passphrase, password
  if (code == 101) return !is_small(<i32>load<u8>(at + 1))
  return code == 99 || code == 111 || code == 112 || code == 119
}

function is_small(code: i32): bool {
  return is_between(code, 97, 122)
}

/** Who is named in an address stands before this sign. */
function has_at_sign(from: i32, end: i32): bool {
  for (let at = from; at < end; at++) if (load<u8>(at) == AT_SIGN) return true
  return false
}

/** A token does not begin in the midst of a word, unless what looks like the end of it is an escape. */
function may_begin(at: i32, end: i32, line: i32): bool {
  if (at <= line) return true
  // Where characters take more than one byte, it is not told from here how far back they stand.
  for (let near = max(line, at - ESCAPE_BYTES); near < end; near++) if (load<u8>(near) >= BEYOND_ASCII) return true
  if (!is_word(<i32>load<u8>(at - 1))) return true
  return (
    is_after(at - 2, line, BACKSLASH) ||
    is_after(at - 3, line, PERCENT) ||
    is_after(at - 4, line, BACKSLASH) ||
    is_after(at - ESCAPE_BYTES, line, BACKSLASH)
  )
}

function is_after(at: i32, line: i32, code: i32): bool {
  return at >= line && <i32>load<u8>(at) == code
}

function is_word(code: i32): bool {
  return is_digit(code) || is_letter(code)
}

function add_range(start: i32, end: i32): bool {
  const last = ranges + (found << 3)
  if (found > 0 && load<i32>(last - 4) == start - 1) {
    store<i32>(last - 4, end)
    return true
  }
  if (found == RANGES) return false
  store<i32>(last, start)
  store<i32>(last + 4, end)
  found++
  return true
}
