// The parts of a document, as bytes. First where its path begins and ends; then eight numbers for each chunk: where its
// text, its name and its owner begin and end, how many of its first words count more, and how often its path counts in
// its vector.

import { parts, source } from './layout'
import { is_plain, read_plain } from './read-plain'
import { read_wide } from './read-wide'
import { begin_document, read } from './terms'

export const PART_LEAD: usize = 24
export const PART_PATH_BOOST: usize = 28
const HEAD_BYTES: i32 = 8
const PART_BYTES: i32 = 32

/** Where the numbers of a chunk are. */
// @ts-ignore: decorator
@inline
export function part(chunk: i32): i32 {
  return parts + HEAD_BYTES + chunk * PART_BYTES
}

/** Reads the terms of a document. In the place of where a text begins comes then how many terms there are after it. */
export function read_document(chunks: i32): void {
  begin_document()
  read_text(parts)
  for (let chunk = 0; chunk < chunks; chunk++) {
    const place = part(chunk)
    read_text(place)
    read_text(place + 8)
    read_text(place + 16)
  }
}

function read_text(place: i32): void {
  const from = source + load<i32>(place)
  const to = source + load<i32>(place, 4)
  if (is_plain(from, to)) read_plain(from, to)
  else read_wide(from, to)
  store<i32>(place, read)
}
