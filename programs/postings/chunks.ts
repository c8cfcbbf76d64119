// The terms of chunks, as they come in, and where each term is.

import { COLUMNS, columns, counts, ends, entries, ids, input, path_ids, SIZE_BYTES, size_lengths, sizes } from './layout'
import { put_number } from './numbers'
import { read_terms, terms } from './terms'

const ENDS_BYTES: i32 = 20
const COMMA: u8 = 44

export let chunks: i32 = 0
let ids_end: i32 = 0
let lengths_end: i32 = 0

export function forget_chunks(): void {
  chunks = 0
  ids_end = ids
  lengths_end = size_lengths
}

/** Where the list of the sizes' lengths ends. */
export function lengths_until(): i32 {
  return lengths_end
}

/** Takes in the chunks of a document: its words, and where their parts end, are handed over. */
export function add_chunks(count: i32): void {
  let from = input + load<i32>(ends)
  const in_path = read_terms(input, from, path_ids)
  for (let chunk = 0; chunk < count; chunk++) {
    const place = ends + 4 + chunk * ENDS_BYTES
    const body = input + load<i32>(place)
    const name = input + load<i32>(place + 4)
    const owner = input + load<i32>(place + 8)
    const out = columns + chunks * COLUMNS * 4
    store<i32>(out, take(from, body))
    store<i32>(out + 4, take(body, name))
    store<i32>(out + 8, take(name, owner))
    store<i32>(out + 12, in_path)
    memory.copy(ids_end, path_ids, in_path << 2)
    ids_end += in_path << 2
    note_sizes(out)
    chunks++
    from = owner
  }
}

function take(from: i32, to: i32): i32 {
  const count = read_terms(from, to, ids_end)
  ids_end += count << 2
  return count
}

/** How many tokens each column has, in few bytes, and how many bytes those are, in digits. */
function note_sizes(counted: i32): void {
  const start = sizes + chunks * SIZE_BYTES
  let at = start
  for (let column = 0; column < COLUMNS; column++) at = put_number(at, load<u32>(counted + (column << 2)))
  const length = at - start
  if (length > 9) store<u8>(lengths_end++, <u8>(48 + length / 10))
  store<u8>(lengths_end++, <u8>(48 + (length % 10)))
  store<u8>(lengths_end++, COMMA)
}

/** How many tokens a column has in all chunks. */
export function count_column(column: i32): i32 {
  let sum = 0
  for (let chunk = 0; chunk < chunks; chunk++) sum += load<i32>(columns + (chunk * COLUMNS + column) * 4)
  return sum
}

/** Puts together where each term is. Afterwards `counts` says where that ends, for terms in the given order. */
export function gather_entries(sorted: i32): void {
  memory.fill(counts, 0, terms << 2)
  for (let at = ids; at < ids_end; at += 4) {
    const place = counts + (load<i32>(at) << 2)
    store<i32>(place, load<i32>(place) + 1)
  }
  let next = entries
  for (let at = sorted; at < sorted + (terms << 2); at += 4) {
    const place = counts + (load<i32>(at) << 2)
    const count = load<i32>(place)
    store<i32>(place, next)
    next += count << 3
  }
  scatter()
}

/** A chunk in the upper half; below it a column and a position. */
function scatter(): void {
  let at = ids
  for (let chunk = 0; chunk < chunks; chunk++) {
    for (let column = 0; column < COLUMNS; column++) {
      const count = load<i32>(columns + (chunk * COLUMNS + column) * 4)
      const upper = ((<u64>chunk) << 32) | ((<u64>column) << 24)
      for (let position = 0; position < count; position++) {
        const place = counts + (load<i32>(at) << 2)
        const entry = load<i32>(place)
        store<u64>(entry, upper | position)
        store<i32>(place, entry + 8)
        at += 4
      }
    }
  }
}
