// Terms, words and vectors of documents, worked out over plain numbers: no text is made of any term, nothing is left
// to be collected, and it is as fast from the first document on. `npm run generate` makes digest.wasm of it.

import { ends, input, lay_out, output, parts, rows, scales, scratch, shown, source, tallies } from './layout'
import { forget_terms, id_of_scratch } from './terms'

export { read_document } from './parts'
export { add_odd } from './terms'
export { write_vectors } from './vectors'
export { write_words } from './words'

/** Sets the memory up; the rows of the table and the listed words are to be put in then. */
export function open(listed: i32, buckets: i32, weight: i32): void {
  lay_out(listed, buckets, weight)
  forget_terms()
}

/** Lists the next word of the table: its letters lie in the scratch room. */
export function list_word(length: i32): i32 {
  return id_of_scratch(length)
}

export function scales_place(): i32 {
  return scales
}

export function rows_place(): i32 {
  return rows
}

export function source_place(): i32 {
  return source
}

export function input_place(): i32 {
  return input
}

export function parts_place(): i32 {
  return parts
}

export function scratch_place(): i32 {
  return scratch
}

export function ends_place(): i32 {
  return ends
}

export function output_place(): i32 {
  return output
}

export function shown_place(): i32 {
  return shown
}

export function tallies_place(): i32 {
  return tallies
}
