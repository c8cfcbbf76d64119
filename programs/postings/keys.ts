// What leads to pages: the first letters of the first term on a page, and for a list over many pages a guide that tells
// which chunk comes first on each of them.

import { guide_bytes, guides, key_letters, keys, PAGE_BYTES } from './layout'
import { put_number } from './numbers'

/** A list over fewer further pages needs no guide. */
const GUIDED_PAGES: i32 = 4
/** A page, and where what is said of it ends. */
const NUMBERS_BYTES: i32 = 8

let key_count: i32 = 0
let letters_end: i32 = 0
/** The page that is led to, or 0. */
let key_page: i32 = 0
let guide_count: i32 = 0
let guide_start: i32 = 0
let guide_end: i32 = 0
let guide_page: i32 = 0
let guided: u64 = 0
/** Pages since the key's own that begin no term. */
let bare_pages: i32 = 0

/** To the first page nothing leads but its number. */
export function begin_keys(): void {
  key_count = 0
  letters_end = key_letters
  key_page = 1
  guide_count = 0
  guide_start = guide_bytes
  guide_end = guide_bytes
  bare_pages = 0
}

export function count_keys(): i32 {
  return key_count
}

export function count_guides(): i32 {
  return guide_count
}

/** Begins what leads to a page, after what led to the one before: a mark, and so many letters of a term. */
export function open_key(page: i32, mark: u8, letters: i32, length: i32): void {
  close_key()
  store<u8>(letters_end, mark)
  memory.copy(letters_end + 1, letters, length)
  letters_end += length + 1
  key_page = page
}

/** Notes a page with its letters, and the guide of its last term where that is worth it. */
export function close_key(): void {
  const is_guided = close_guide()
  if (key_page == 0) return
  const place = keys + key_count * NUMBERS_BYTES
  store<i32>(place, (key_page << 1) | i32(is_guided))
  store<i32>(place + 4, letters_end - key_letters)
  key_count++
  key_page = 0
}

/** One that would not fit on a page is left out. */
function close_guide(): bool {
  const length = guide_end - guide_start
  const is_guided = length > 0 && length <= PAGE_BYTES && bare_pages >= GUIDED_PAGES
  if (is_guided) {
    const place = guides + guide_count * NUMBERS_BYTES
    store<i32>(place, guide_page)
    store<i32>(place + 4, guide_end - guide_bytes)
    guide_count++
    guide_start = guide_end
  }
  guide_end = guide_start
  bare_pages = 0
  return is_guided
}

/** A guide is for the list of the last term on a page. */
export function start_guide(page: i32): void {
  guide_page = page
}

/** The first chunk on a page. */
export function guide(page: i32, chunk: u64): void {
  if (guide_end == guide_start) {
    store<u8>(guide_end++, 0)
    guide_end = put_number(guide_end, page)
    guide_end = put_number(guide_end, chunk)
  } else guide_end = put_number(guide_end, chunk - guided)
  guided = chunk
}

/** A page begins no term; it may have no chunk either. */
export function guide_nothing(has_row: bool): void {
  if (!has_row && guide_end > guide_start) store<u8>(guide_end++, 0)
  bare_pages++
}
