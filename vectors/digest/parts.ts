// The parts of a document. First where its path ends; then five numbers for each chunk: where its text, its name and
// its owner end, how many of its first words count more, and how often its path counts in its vector.

import { input, parts } from './layout'
import { begin_document, read_terms } from './terms'

export const PART_LEAD: i32 = 12
export const PART_PATH_BOOST: i32 = 16
const PART_BYTES: i32 = 20

/** Where the numbers of a chunk are. */
// @ts-ignore: decorator
@inline
export function part(chunk: i32): i32 {
  return parts + 4 + chunk * PART_BYTES
}

/**
 * Reads the terms of a document from its characters, with a blank after each text. The ends of the texts, counted in
 * characters, become ends counted in terms.
 */
export function read_document(chunks: i32): void {
  begin_document()
  let from = read_text(parts, 0)
  for (let chunk = 0; chunk < chunks; chunk++) {
    const place = part(chunk)
    from = read_text(place, from)
    from = read_text(place + 4, from)
    from = read_text(place + 8, from)
  }
}

function read_text(place: i32, from: i32): i32 {
  const to = load<i32>(place)
  store<i32>(place, read_terms(input + (from << 1), input + (to << 1)))
  return to + 1
}
