// What is to be known of the language of a source.

/** What is open behind a line: nothing, a comment, a text in one of these quotes, or one that only asking tells. */
export const CLOSED: i32 = 0
export const IN_COMMENT: i32 = 1
export const IN_BACKTICKS: i32 = 2
export const IN_DOUBLES: i32 = 3
export const IN_SINGLES: i32 = 4
export const IN_OTHER: i32 = 5

/** What there is on a line. */
export const HAS_WORD: i32 = 1
export const HAS_ODD: i32 = 2
export const HAS_STAR: i32 = 4
export const HAS_BACKTICK: i32 = 8
export const HAS_DOUBLE: i32 = 16
export const HAS_SINGLE: i32 = 32
export const HAS_QUOTE: i32 = HAS_BACKTICK | HAS_DOUBLE | HAS_SINGLE

export let is_code: bool = false
/** The two forms of its remarks, up to two letters each, the first in the lower byte. */
export let remark: i32 = 0
export let remark_length: i32 = 0
export let other_remark: i32 = 0
export let other_remark_length: i32 = 0
export let has_blocks: bool = false
/** Which quotes open texts over several lines, and which do so where there are three of them. */
export let openers: i32 = 0
export let triples: i32 = 0
/** Its texts are of so many forms that it is asked what is open. */
export let is_asked_about: bool = false

/** Sets the language of what is scanned next. */
export function set_language(
  of_code: bool,
  first: i32,
  first_length: i32,
  second: i32,
  second_length: i32,
  blocks: bool,
  quotes: i32,
  tripled: i32,
  asks: bool,
): void {
  is_code = of_code
  remark = first
  remark_length = first_length
  other_remark = second
  other_remark_length = second_length
  has_blocks = blocks
  openers = quotes
  triples = tripled
  is_asked_about = asks
}
