// The words of many chunks as one segment of SQLite's full text search (FTS5): each term with all places where it is,
// in pages as they are kept. `npm run generate` makes postings.wasm of it.

import { chunks, count_column, forget_chunks, gather_entries, lengths_until } from './chunks'
import { write_doclist } from './doclists'
import { begin_keys } from './keys'
import * as layout from './layout'
import { sort_terms } from './order'
import { add_list, begin_segment, end_segment } from './segment'
import { forget_terms, terms } from './terms'

export { add_chunks, count_column } from './chunks'
export { count_guides, count_keys } from './keys'

/** Sets the memory up for so many chunks and so many bytes of their words, with the path's for each. */
export function open(chunks: i32, bytes: i32): void {
  layout.lay_out(chunks, bytes)
}

/** Begins anew. */
export function begin(): void {
  forget_terms()
  forget_chunks()
}

/** Writes the segment of all chunks that were added, the first of which has this number; answers how many pages. */
export function write_segment(first_chunk: f64): i32 {
  const sorted = sort_terms()
  gather_entries(sorted)
  begin_keys()
  begin_segment()
  let from = layout.entries
  for (let at = sorted; at < sorted + (terms << 2); at += 4) {
    const id = load<i32>(at)
    const to = load<i32>(layout.counts + (id << 2))
    const list_end = write_doclist(from, to, <u64>first_chunk)
    add_list(load<i32>(layout.starts + (id << 2)), load<i32>(layout.lengths + (id << 2)), list_end)
    from = to
  }
  return end_segment()
}

export function count_length_bytes(): i32 {
  return lengths_until() - layout.size_lengths
}

export function input_place(): i32 {
  return layout.input
}

export function ends_place(): i32 {
  return layout.ends
}

export function pages_place(): i32 {
  return layout.pages
}

export function page_ends_place(): i32 {
  return layout.page_ends
}

export function keys_place(): i32 {
  return layout.keys
}

export function key_letters_place(): i32 {
  return layout.key_letters
}

export function guides_place(): i32 {
  return layout.guides
}

export function guide_bytes_place(): i32 {
  return layout.guide_bytes
}

export function sizes_place(): i32 {
  return layout.sizes
}

export function size_lengths_place(): i32 {
  return layout.size_lengths
}
