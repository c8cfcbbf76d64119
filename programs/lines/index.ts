// The lines of a document: where each begins, what it is, how far it is indented, and what is to be known of it before
// anybody makes a text of it. Lines that are not all ASCII, and the few that may open or close a text over several
// lines, are asked about. `npm run generate` makes lines.wasm of it.

import {
  CLOSED,
  HAS_BACKTICK,
  HAS_DOUBLE,
  HAS_ODD,
  HAS_QUOTE,
  HAS_SINGLE,
  HAS_STAR,
  HAS_WORD,
  has_blocks,
  IN_BACKTICKS,
  IN_COMMENT,
  is_asked_about,
  is_code,
  openers,
} from './language'
import { find_pair, has_continued, is_alone, is_blank_from, skip_space, starts_with } from './letters'
import { begins_remark, find_close, find_opening, may_open } from './openings'

export { set_language } from './language'

/** What a line with other characters than those of ASCII is: its marks, then its kind, then what is open behind it. */
@external('env', 'read_odd')
declare function read_odd(from: i32, to: i32, open: i32): i32
/** What is open behind a line. */
@external('env', 'read_open')
declare function read_open(from: i32, to: i32, open: i32): i32

const BLANK: u8 = 0
const COMMENT: u8 = 1
const CODE: u8 = 2
const INSIDE: u8 = 3

const IS_BLANK: i32 = 1
const IS_WORDLESS: i32 = 2
const IS_CONTINUED: i32 = 4
const IS_END: i32 = 8
const HAS_SIGN: i32 = 16
const MAY_ANNOTATE: i32 = 32
const KIND_SHIFT: i32 = 8
const OPEN_SHIFT: i32 = 10

const TAB: i32 = 9
const LINE_FEED: i32 = 10
const SPACE: i32 = 32
const STAR_SLASH: i32 = 0x2f2a
const SLASH_STAR: i32 = 0x2a2f
const TAB_WIDTH: i32 = 4
const INDENT_LIMIT: i32 = 65_535
/** Further on a line is not looked at: such lines are made by machines. */
const LINE_LIMIT: i32 = 4_000
const STEP: i32 = 16
const SLACK: i32 = 64
const PAGE: i32 = 65_536

/** As many set bytes as a step has, and as many others behind them: from a place in it on, the first few are set. */
let masks: i32 = 0
let source: i32 = 0
let starts: i32 = 0
let indents: i32 = 0
let kinds: i32 = 0
let marks: i32 = 0

let line: i32 = 0
let seen: i32 = 0

/** Makes room for so many bytes; answers where they are to be put. */
export function reserve(length: i32): i32 {
  if (masks == 0) {
    masks = (<i32>__heap_base + 63) & ~63
    source = masks + STEP * 2
    memory.fill(masks, 255, STEP)
  }
  starts = (source + length + SLACK + 63) & ~63
  indents = starts + ((length + 2) << 2)
  kinds = indents + ((length + 1) << 1)
  marks = kinds + length + 1
  const pages = (marks + length + 1 + PAGE) / PAGE - memory.size()
  if (pages > 0 && memory.grow(pages) < 0) unreachable()
  return source
}

export function starts_place(): i32 {
  return starts
}

export function indents_place(): i32 {
  return indents
}

export function kinds_place(): i32 {
  return kinds
}

export function marks_place(): i32 {
  return marks
}

/** Reads the lines of as many bytes; answers how many there are. Behind the last one its end is as if one more came. */
export function scan(length: i32): i32 {
  const end = source + length
  store<u8>(end, <u8>LINE_FEED)
  let open = CLOSED
  let from = source
  line = 0
  while (from <= end) {
    const to = look_over(from)
    store<i32>(starts + (line << 2), from - source)
    open = read_line(from, to, open)
    line++
    from = to + 1
  }
  store<i32>(starts + (line << 2), from - source)
  return line
}

/** Where the line ends; what there is on it is `seen`. */
function look_over(from: i32): i32 {
  let all = i8x16.splat(0)
  let at = from
  while (true) {
    const bytes = v128.load(at)
    const ends = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>LINE_FEED)))
    if (ends != 0) {
      const length = <i32>ctz(ends)
      seen = any_of(v128.or(all, v128.and(classes_of(bytes), v128.load(masks + STEP - length))))
      return at + length
    }
    all = v128.or(all, classes_of(bytes))
    at += STEP
  }
}

/** What each of sixteen bytes is. */
function classes_of(bytes: v128): v128 {
  const small = v128.or(bytes, i8x16.splat(32))
  const is_letter = i8x16.lt_u(i8x16.sub(small, i8x16.splat(97)), i8x16.splat(26))
  const is_digit = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(48)), i8x16.splat(10))
  const is_word = v128.and(v128.or(is_letter, is_digit), i8x16.splat(<i8>HAS_WORD))
  const is_odd = v128.and(i8x16.lt_s(bytes, i8x16.splat(0)), i8x16.splat(<i8>HAS_ODD))
  return v128.or(
    v128.or(v128.or(is_word, is_odd), where(bytes, 42, HAS_STAR)),
    v128.or(v128.or(where(bytes, 96, HAS_BACKTICK), where(bytes, 34, HAS_DOUBLE)), where(bytes, 39, HAS_SINGLE)),
  )
}

// @ts-ignore: decorator
@inline
function where(bytes: v128, code: i32, found: i32): v128 {
  return v128.and(i8x16.eq(bytes, i8x16.splat(<i8>code)), i8x16.splat(<i8>found))
}

function any_of(bytes: v128): i32 {
  let all = i64x2.extract_lane(bytes, 0) | i64x2.extract_lane(bytes, 1)
  all |= all >> 32
  all |= all >> 16
  all |= all >> 8
  return <i32>(all & 255)
}

function read_line(from: i32, to: i32, open: i32): i32 {
  const start = skip_indent(from, to)
  if (seen & HAS_ODD) return note_odd(read_odd(from - source, to - source, open))
  const first = skip_space(start, to)
  let found = (seen & HAS_WORD) == 0 ? IS_WORDLESS : 0
  if (first == to) found |= IS_BLANK
  else found |= marks_by(<i32>load<u8>(first)) | (is_alone(first, to) ? IS_END : 0)
  if (!is_code) {
    store<u8>(marks + line, <u8>found)
    return CLOSED
  }
  const kind = kind_of(start, first, to, open)
  if (kind == CODE && has_continued(first, to)) found |= IS_CONTINUED
  store<u8>(marks + line, <u8>found)
  store<u8>(kinds + line, kind)
  return open_after(from, start, to, open)
}

function note_odd(found: i32): i32 {
  store<u8>(marks + line, <u8>found)
  store<u8>(kinds + line, <u8>((found >> KIND_SHIFT) & 3))
  return found >> OPEN_SHIFT
}

/** What the first letter of a line may begin. */
function marks_by(first: i32): i32 {
  // @ [ #
  const annotates = first == 64 || first == 91 || first == 35 ? MAY_ANNOTATE : 0
  // " # ' * + - . : = ^ ` ~
  const is_sign =
    (first >= 34 && first <= 46 && first != 36 && first != 37 && first != 38 && first != 40 && first != 41 && first != 44) ||
    first == 58 ||
    first == 61 ||
    first == 94 ||
    first == 96 ||
    first == 126
  return annotates | (is_sign ? HAS_SIGN : 0)
}

function skip_indent(from: i32, to: i32): i32 {
  let at = from
  let width = 0
  for (; at < to; at++) {
    const code = <i32>load<u8>(at)
    if (code == TAB) width += TAB_WIDTH
    else if (code == SPACE) width++
    else break
  }
  store<u16>(indents + (line << 1), <u16>min(width, INDENT_LIMIT))
  return at
}

function kind_of(start: i32, first: i32, to: i32, open: i32): u8 {
  if (open == IN_COMMENT) return COMMENT
  if (open != CLOSED) return INSIDE
  if (first == to) return BLANK
  // `#[` and `#!` are none.
  const is_other = starts_with(start, to, 0x5b23, 2) || starts_with(start, to, 0x2123, 2)
  if (begins_remark(start, to) && !is_other) return COMMENT
  if (!has_blocks || !starts_with(start, to, SLASH_STAR, 2)) return CODE
  const end = find_pair(start, to, STAR_SLASH)
  return end == -1 || is_blank_from(end + 2, to) ? COMMENT : CODE
}

/** What is open behind a line. */
function open_after(from: i32, start: i32, to: i32, open: i32): i32 {
  if (to - from > LINE_LIMIT) return open
  if (open >= IN_BACKTICKS && (seen & HAS_QUOTE) == 0) return open
  if (is_asked_about && (open >= IN_BACKTICKS || seen & openers)) return ask(from, to, open)
  const at = open == CLOSED ? start : find_close(start, to, open)
  if (at == -1) return open
  if (!may_open(at, to, seen)) return CLOSED
  return is_asked_about ? ask(from, to, open) : find_opening(from, at, to)
}

function ask(from: i32, to: i32, open: i32): i32 {
  return read_open(from - source, to - source, open)
}
