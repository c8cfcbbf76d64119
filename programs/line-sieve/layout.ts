// Where everything lies in the memory. The text comes last, so that a longer one only makes the memory larger.

/** Columns of a row of the automaton, as bits of a shift. */
export const ROW_BITS: i32 = 6
/** So many ranges are told of one text. */
export const RANGES: i32 = 4_096
/** No more characters of a value are judged. */
export const JUDGED: i32 = 160
const PAGE: i32 = 65_536
const SIDE: i32 = 27

/** Of each byte: its column, and whether it ends a token. */
export let traits: i32 = 0
/** What a letter costs after another one. */
export let costs: i32 = 0
/** Of each state that has something to tell: what it tells, and how long the beginning of a token is that ends in it. */
export let tellings: i32 = 0
export let lengths: i32 = 0
export let ranges: i32 = 0
/** Of each byte: its kind on a line with a word. */
export let kinds: i32 = 0
/** Of each three letters, or fewer behind the edge of a word: whether a word ends so that qualifies a key. */
export let endings: i32 = 0
/** Of each place in a value: the sum of what lies before it. */
export let sums: i32 = 0
/** Rows of states. */
export let rows: i32 = 0
export let text: i32 = 0

let end: i32 = 0

function take(bytes: i32): i32 {
  const place = end
  end = (end + bytes + 63) & ~63
  return place
}

export function lay_out(states: i32, loud: i32): void {
  end = (<i32>__heap_base + 63) & ~63
  traits = take(256)
  costs = take(SIDE * SIDE * 8)
  kinds = take(256)
  endings = take(SIDE * SIDE * SIDE)
  tellings = take(loud << 1)
  lengths = take(loud)
  ranges = take(RANGES * 8)
  sums = take(JUDGED * 4)
  rows = take(states << (ROW_BITS + 1))
  text = end
  reserve(0)
}

/** Makes room for a text of so many bytes and the end of its last line. */
export function reserve(bytes: i32): void {
  const pages = (text + bytes + PAGE) / PAGE - memory.size()
  if (pages > 0 && memory.grow(pages) < 0) unreachable()
}
