// Where everything lies in the memory. All places are set once, by `lay_out`, for so much as may come at most. What is
// never written takes up no memory, so the rooms are ample.

/** Of one page that is written; a footer may go a little beyond it. */
export const PAGE_BYTES: i32 = 4_050
/** What is read or copied in large steps may go on so far behind its end. */
const SLACK: i32 = 64
const MEMORY_PAGE: i32 = 65_536
/** Text, name, owner and path. */
export const COLUMNS: i32 = 4
/** Of how many tokens each column of a chunk has, as it is kept. */
export const SIZE_BYTES: i32 = 16
/** Of a token at most, as it is written: its chunk, the size of its list, its column and its position. */
const WRITTEN_BYTES: i32 = 24

/** The words of one document, and where their parts end. */
export let input: i32 = 0
export let ends: i32 = 0
/** Of each term: its first eight letters, all of them, how many, its hash, and how often it was met. */
export let heads: i32 = 0
export let starts: i32 = 0
export let lengths: i32 = 0
export let hashes: i32 = 0
export let counts: i32 = 0
export let letters: i32 = 0
/** Places by hash, each with the number of a term and one more, or 0. */
export let slots: i32 = 0
/** The numbers of all terms in the order of their letters, and room for sorting them. */
export let order: i32 = 0
export let spare: i32 = 0
/** The terms of all chunks, one after the other, and how many each column of each chunk has. */
export let ids: i32 = 0
export let columns: i32 = 0
/** The terms of a path. */
export let path_ids: i32 = 0
/** By term: in which chunk, column and position it is. */
export let entries: i32 = 0
/** The list of one term while it is written. */
export let doclist: i32 = 0
/** The pages, where each of them ends, and the footer of the one that is written. */
export let pages: i32 = 0
export let page_ends: i32 = 0
export let footer: i32 = 0
/** What leads to pages: two numbers for each, and all letters. */
export let keys: i32 = 0
export let key_letters: i32 = 0
/** What leads into long lists: two numbers for each, and all bytes. */
export let guides: i32 = 0
export let guide_bytes: i32 = 0
/** Of each chunk: how many tokens its columns have, and how many bytes say so, as a list in JSON. */
export let sizes: i32 = 0
export let size_lengths: i32 = 0

let end: i32 = 0

function take(bytes: i32): i32 {
  const place = end
  end = (end + bytes + SLACK + 63) & ~63
  return place
}

/** Lays out the memory for so many chunks, and for so many bytes of words with the path's for each chunk. */
export function lay_out(chunks: i32, bytes: i32): void {
  end = (<i32>__heap_base + 63) & ~63
  // Each token has a letter, and a blank but for the last one of a column.
  const tokens = ((bytes + chunks * COLUMNS) >> 1) + 1
  const written = tokens * WRITTEN_BYTES
  const page_count = written / (PAGE_BYTES >> 1) + 2
  input = take(bytes)
  ends = take((chunks * 5 + 1) * 4)
  heads = take(tokens * 8)
  starts = take(tokens * 4)
  lengths = take(tokens * 4)
  hashes = take(tokens * 4)
  counts = take(tokens * 4)
  letters = take(bytes + tokens * 8)
  slots = take(tokens * 16 + 2 * FIRST_SLOTS * 4)
  order = take(tokens * 4)
  spare = take(tokens * 4)
  ids = take(tokens * 4)
  columns = take(chunks * COLUMNS * 4)
  path_ids = take(tokens * 4)
  entries = take(tokens * 8)
  doclist = take(written)
  pages = take(written)
  page_ends = take(page_count * 4)
  footer = take(PAGE_BYTES * 2)
  keys = take(page_count * 8)
  key_letters = take(bytes)
  guides = take(page_count * 8)
  guide_bytes = take(page_count * 10)
  sizes = take(chunks * SIZE_BYTES)
  size_lengths = take(chunks * 3 + 2)
  const pages_more = (end + MEMORY_PAGE - 1) / MEMORY_PAGE - memory.size()
  if (pages_more > 0 && memory.grow(pages_more) < 0) unreachable()
}

/** So many places by hash there are at first. */
export const FIRST_SLOTS: i32 = 32_768
