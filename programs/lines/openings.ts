// What a line of ASCII leaves open behind it: the same as `findOpen` tells.

import {
  CLOSED,
  HAS_BACKTICK,
  HAS_DOUBLE,
  HAS_SINGLE,
  HAS_STAR,
  has_blocks,
  IN_BACKTICKS,
  IN_COMMENT,
  IN_DOUBLES,
  IN_SINGLES,
  openers,
  other_remark,
  other_remark_length,
  remark,
  remark_length,
  triples,
} from './language'
import { find_pair, is_space, is_word, starts_with } from './letters'

const STAR_SLASH: i32 = 0x2f2a
const SLASH_STAR: i32 = 0x2a2f
const BACKTICK: i32 = 96
const DOUBLE: i32 = 34
const SINGLE: i32 = 39
const SLASH: i32 = 47
const BACKSLASH: i32 = 92
const TRIPLE: i32 = 3
/** So far back it is looked whether a value has ended. */
const BEFORE_PATTERN: i32 = 10

/** Behind the end of what was open before; -1 where it goes on. */
export function find_close(start: i32, to: i32, open: i32): i32 {
  if (open == IN_COMMENT) {
    const end = find_pair(start, to, STAR_SLASH)
    return end == -1 ? -1 : end + 2
  }
  const length = open == IN_BACKTICKS ? 1 : TRIPLE
  const end = find_quotes(start, to, quote_of(open), length)
  return end == -1 ? -1 : end + length
}

function quote_of(open: i32): i32 {
  return open == IN_BACKTICKS ? BACKTICK : open == IN_DOUBLES ? DOUBLE : SINGLE
}

/** Where so many quotes stand that no backslash takes away. */
function find_quotes(start: i32, to: i32, quote: i32, length: i32): i32 {
  for (let at = start; at + length <= to; at++)
    if (has_quotes(at, to, quote, length) && !is_escaped(at, start)) return at
  return -1
}

function has_quotes(at: i32, to: i32, quote: i32, length: i32): bool {
  if (at + length > to) return false
  for (let offset = 0; offset < length; offset++) if (<i32>load<u8>(at + offset) != quote) return false
  return true
}

function is_escaped(at: i32, start: i32): bool {
  let slashes = 0
  while (at - slashes > start && <i32>load<u8>(at - slashes - 1) == BACKSLASH) slashes++
  return (slashes & 1) == 1
}

/** Whether anything from a place on may be left open, by what was seen on the line. */
export function may_open(from: i32, to: i32, seen: i32): bool {
  if (has_blocks && seen & HAS_STAR && find_pair(from, to, SLASH_STAR) != -1) return true
  if (seen & openers & HAS_BACKTICK && has_anywhere(from, to, BACKTICK, 1)) return true
  if (seen & triples & HAS_DOUBLE && has_anywhere(from, to, DOUBLE, TRIPLE)) return true
  return (seen & triples & HAS_SINGLE) != 0 && has_anywhere(from, to, SINGLE, TRIPLE)
}

function has_anywhere(from: i32, to: i32, quote: i32, length: i32): bool {
  for (let at = from; at < to; at++) if (has_quotes(at, to, quote, length)) return true
  return false
}

/** What is opened behind a place and not closed. */
export function find_opening(line: i32, from: i32, to: i32): i32 {
  for (let at = from; at < to; at++) {
    const opened = opened_at(at, to)
    if (opened != CLOSED) {
      const end = find_close(at + (opened == IN_COMMENT ? 2 : opened == IN_BACKTICKS ? 1 : TRIPLE), to, opened)
      if (end == -1) return opened
      at = end - 1
    } else if (begins_remark(at, to)) return CLOSED
    else at = skip_value(line, at, to)
  }
  return CLOSED
}

function opened_at(at: i32, to: i32): i32 {
  if (has_blocks && starts_with(at, to, SLASH_STAR, 2)) return IN_COMMENT
  if (openers & HAS_BACKTICK && <i32>load<u8>(at) == BACKTICK) return IN_BACKTICKS
  if (triples & HAS_DOUBLE && has_quotes(at, to, DOUBLE, TRIPLE)) return IN_DOUBLES
  return triples & HAS_SINGLE && has_quotes(at, to, SINGLE, TRIPLE) ? IN_SINGLES : CLOSED
}

/** Whether one of the language's remarks begins at a place. */
export function begins_remark(at: i32, to: i32): bool {
  return (
    starts_with(at, to, remark, remark_length) ||
    (other_remark_length > 0 && starts_with(at, to, other_remark, other_remark_length))
  )
}

/** The end of a text or a pattern that begins at a place; the place itself where none does. */
function skip_value(line: i32, at: i32, to: i32): i32 {
  const code = <i32>load<u8>(at)
  if (code == DOUBLE || code == SINGLE) return skip_quoted(at, to)
  return code == SLASH && is_pattern(line, at) ? skip_pattern(at, to) : at
}

/** A lone mark, as in `don't` or a lifetime, hides nothing. */
function skip_quoted(start: i32, to: i32): i32 {
  const quote = <i32>load<u8>(start)
  for (let at = start + 1; at < to; at++) {
    const code = <i32>load<u8>(at)
    if (code == BACKSLASH) at++
    else if (code == quote) return at
  }
  return start
}

/** Whether a slash begins a regular expression: after what cannot end a value. */
function is_pattern(line: i32, slash: i32): bool {
  const low = max(line, slash - BEFORE_PATTERN)
  let end = slash
  while (end > low && is_space(<i32>load<u8>(end - 1))) end--
  return end == low || is_before_value(<i32>load<u8>(end - 1)) || ends_in_return(low, end)
}

/** ( , = : [ ! & | ? { } ; + */
function is_before_value(code: i32): bool {
  if (code >= 123) return code <= 125
  if (code == 91 || code == 63 || code == 61) return true
  return code == 59 || code == 58 || code == 44 || code == 43 || code == 40 || code == 38 || code == 33
}

function ends_in_return(low: i32, end: i32): bool {
  const word = 'return'
  if (end - low < word.length) return false
  const start = end - word.length
  for (let at = 0; at < word.length; at++)
    if (<i32>load<u8>(start + at) != word.charCodeAt(at)) return false
  return start == low || !is_word(<i32>load<u8>(start - 1))
}

function skip_pattern(start: i32, to: i32): i32 {
  let in_class = false
  for (let at = start + 1; at < to; at++) {
    const code = <i32>load<u8>(at)
    if (code == BACKSLASH) at++
    else if (code == 91) in_class = true
    else if (code == 93) in_class = false
    else if (code == SLASH && !in_class) return at
  }
  return start
}
