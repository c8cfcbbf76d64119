// Pages of terms with their lists, as SQLite's full text search (FTS5) keeps them: a header of four bytes, then terms
// and lists, then a footer that tells where the terms begin. A list may go over several pages.

import { doclist, footer, PAGE_BYTES, page_ends, pages } from './layout'
import { close_key, guide, guide_nothing, open_key, start_guide } from './keys'
import { put_number, read_number, skip_number } from './numbers'

const HEADER_BYTES: i32 = 4
/** All terms are in the one index that has no prefixes. */
const MAIN_INDEX: u8 = 48

/** The page that is written: its number, where it begins and goes on, and what its footer has so far. */
let page: i32 = 0
let start: i32 = 0
let at: i32 = 0
let footer_end: i32 = 0
let last_term: i32 = 0
let has_term: bool = false
let has_row: bool = false
/** The term before, without its mark. */
let before: i32 = 0
let before_length: i32 = 0

/** Begins with the first page. */
export function begin_segment(): void {
  page = 0
  at = pages
  before_length = -1
  begin_page()
}

function begin_page(): void {
  page++
  start = at
  store<u32>(at, 0)
  at += HEADER_BYTES
  footer_end = footer
  last_term = 0
  has_term = false
  has_row = false
}

/** What is on the page, with its footer. */
// @ts-ignore: decorator
@inline
function filled(): i32 {
  return at - start + footer_end - footer
}

function end_page(): void {
  store<u16>(start + 2, bswap<u16>(<u16>(at - start)))
  if (has_term) {
    memory.copy(at, footer, footer_end - footer)
    at += footer_end - footer
  } else guide_nothing(has_row)
  store<i32>(page_ends + ((page - 1) << 2), at - pages)
  begin_page()
}

/** Ends the last page; answers how many there are. */
export function end_segment(): i32 {
  if (at - start > HEADER_BYTES) end_page()
  if (page > 1) close_key()
  return page - 1
}

/** Adds a term with its list, which lies in its room up to an end. Terms come in the order of their letters. */
export function add_list(letters: i32, length: i32, list_end: i32): void {
  put_term(letters, length)
  const size = list_end - doclist
  if (filled() + size + 1 > PAGE_BYTES) {
    put_long_list(list_end)
    return
  }
  memory.copy(at, doclist, size)
  at += size
}

function put_term(letters: i32, length: i32): void {
  if (filled() + length + 3 >= PAGE_BYTES && at - start > HEADER_BYTES) end_page()
  footer_end = put_number(footer_end, at - start - last_term)
  last_term = at - start
  const common = common_letters(letters, length)
  if (has_term) {
    at = put_number(at, common + 1)
    at = put_number(at, length - common)
    memory.copy(at, letters + common, length - common)
    at += length - common
  } else {
    if (page != 1) open_key(page, MAIN_INDEX, letters, common + 1)
    at = put_number(at, length + 1)
    store<u8>(at, MAIN_INDEX)
    memory.copy(at + 1, letters, length)
    at += length + 1
  }
  before = letters
  before_length = length
  has_term = true
  has_row = true
  start_guide(page)
}

function common_letters(letters: i32, length: i32): i32 {
  const shorter = min(length, before_length)
  let common = 0
  while (common < shorter && load<u8>(before + common) == load<u8>(letters + common)) common++
  return common
}

/** A list that does not fit on the page: the first chunk on each further page is told by its number. */
function put_long_list(list_end: i32): void {
  let from = doclist
  let chunk: u64 = 0
  while (from < list_end) {
    const step = read_number(from)
    chunk += step
    from = skip_number(from)
    if (has_row) at = put_number(at, step)
    else {
      store<u16>(start, bswap<u16>(<u16>(at - start)))
      at = put_number(at, chunk)
      has_row = true
      guide(page, chunk)
    }
    const end = skip_number(from) + <i32>(read_number(from) >> 1)
    put_positions(from, end)
    from = end
  }
}

/** Positions may go on on the next page, each number of them as a whole. */
function put_positions(from: i32, end: i32): void {
  if (filled() + end - from <= PAGE_BYTES) {
    put_bytes(from, end)
    return
  }
  while (from < end) {
    const room = PAGE_BYTES - filled()
    const part = end - from <= room ? end : last_whole(from, from + room)
    put_bytes(from, part)
    from = part
    if (filled() >= PAGE_BYTES) end_page()
  }
}

// @ts-ignore: decorator
@inline
function put_bytes(from: i32, end: i32): void {
  memory.copy(at, from, end - from)
  at += end - from
}

/** Where the last number ends that is there as a whole before a limit; at least one is. */
function last_whole(from: i32, limit: i32): i32 {
  let end = skip_number(from)
  if (end >= limit) return end
  for (let next = skip_number(end); next <= limit; next = skip_number(next)) end = next
  return end
}
