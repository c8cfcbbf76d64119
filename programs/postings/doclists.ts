// The list of one term: each chunk that it is in, as the difference to the one before, and its positions there.

import { doclist } from './layout'
import { length_of, put_number } from './numbers'

const COLUMN_MARK: u8 = 1
const POSITION_MASK: u32 = 0xffffff
/** A position is told by how far it is from the one before, and two more. */
const STEP: u32 = 2

/** Writes the list of the entries in between; answers where it ends. */
export function write_doclist(from: i32, to: i32, first_chunk: u64): i32 {
  let at = doclist
  let before: u64 = 0
  for (let entry = from; entry < to; ) {
    const chunk = load<u32>(entry + 4)
    const number = first_chunk + chunk
    at = put_number(at, number - before)
    before = number
    const start = at++
    let place: u32 = 0
    do {
      const next = load<u32>(entry)
      if (next >> 24 != place >> 24) {
        store<u8>(at, COLUMN_MARK)
        store<u8>(at + 1, <u8>(next >> 24))
        at += 2
        place = next & ~POSITION_MASK
      }
      at = put_number(at, next - place + STEP)
      place = next
      entry += 8
    } while (entry < to && load<u32>(entry + 4) == chunk)
    at = put_size(start, at)
  }
  return at
}

/** Says before positions how many bytes they take, for which one byte was left. */
// @ts-ignore: decorator
@inline
function put_size(start: i32, end: i32): i32 {
  const size = (end - start - 1) << 1
  if (size < 128) {
    store<u8>(start, <u8>size)
    return end
  }
  const more = length_of(size) - 1
  memory.copy(start + 1 + more, start + 1, end - start - 1)
  put_number(start, size)
  return end + more
}
