// The words of a document's chunks as a full text takes them, and how often each stem counts in each chunk.

import { COUNT, counted, ends, ids, output, parts, record, tallies, WRITTEN, written } from './layout'
import { PART_LEAD, part } from './parts'
import { packed_hash_of, stem_of } from './stems'
import { length_of, letters_of, round, terms } from './terms'

const COUNT_LIMIT: i32 = 255
const BLANK: u8 = 32

let found: i32 = 0
let at: i32 = 0
let tally: i32 = 0
/** Behind the last term that was written out. */
let written_end: i32 = 0
let known_round: i32 = -1

/**
 * Writes the words of the document that was read: those of its path, and of each chunk its text, name and owner; and
 * apart from them its counts. Where each of them ends is written to `ends`, with how many terms its text has. Answers
 * how many bytes of words there are.
 */
export function write_words(
  chunks: i32,
  body_weight: i32,
  lead_weight: i32,
  name_weight: i32,
  owner_weight: i32,
  path_weight: i32,
): i32 {
  begin_round()
  at = output
  tally = tallies
  const path_end = load<i32>(parts)
  let end = ends
  write_stems(0, path_end)
  store<i32>(end, at - output)
  let from = path_end
  for (let chunk = 0; chunk < chunks; chunk++) {
    const place = part(chunk)
    const body = load<i32>(place)
    const name = load<i32>(place, 8)
    const owner = load<i32>(place, 16)
    found = 0
    take_stems(from, body, body_weight)
    store<i32>(end + 4, at - output)
    count_stems(from, min(body, from + load<i32>(place, PART_LEAD)), lead_weight)
    take_stems(body, name, name_weight)
    store<i32>(end + 8, at - output)
    take_stems(name, owner, owner_weight)
    store<i32>(end + 12, at - output)
    count_stems(0, path_end, path_weight)
    write_counts()
    store<i32>(end + 16, tally - tallies)
    store<i32>(end + 20, body - from)
    end += 20
    from = owner
  }
  return at - output
}

/** What was written out for numbers of another round does not count. */
function begin_round(): void {
  if (round == known_round) return
  known_round = round
  written_end = written
  for (let id = 0; id < terms; id++) store<i32>(record(id), 0, WRITTEN)
}

function write_stems(from: i32, to: i32): void {
  for (let place = from; place < to; place++) write_term(stem_of(load<i32>(ids + (place << 2))))
}

/** Writes stems and counts them. */
function take_stems(from: i32, to: i32, weight: i32): void {
  for (let place = from; place < to; place++) {
    const stem = stem_of(load<i32>(ids + (place << 2)))
    write_term(stem)
    count_stem(stem, weight)
  }
}

/** A term is copied from where it was written out first, eight bytes at a step. */
// @ts-ignore: decorator
@inline
function write_term(id: i32): void {
  let from = load<i32>(record(id), WRITTEN)
  if (from == 0) from = write_out(id)
  const length = <i32>load<u8>(from)
  for (let offset = 0; offset < length; offset += 8)
    store<u64>(at + offset, load<u64>(from + 1 + offset))
  at += length
}

/** Writes a term out in UTF-8, with a blank after it and its length before. No term has half of a pair of characters. */
function write_out(id: i32): i32 {
  const place = written_end
  let to = place + 1
  const start = letters_of(id)
  const end = start + (length_of(id) << 1)
  for (let letter = start; letter < end; letter += 2) {
    const code = <i32>load<u16>(letter)
    if (code < 0x80) store<u8>(to++, <u8>code)
    else if (code < 0x800) {
      store<u8>(to++, <u8>(0xc0 | (code >> 6)))
      store<u8>(to++, <u8>(0x80 | (code & 63)))
    } else {
      store<u8>(to++, <u8>(0xe0 | (code >> 12)))
      store<u8>(to++, <u8>(0x80 | ((code >> 6) & 63)))
      store<u8>(to++, <u8>(0x80 | (code & 63)))
    }
  }
  store<u8>(to++, BLANK)
  store<u8>(place, <u8>(to - place - 1))
  written_end = to
  store<i32>(record(id), place, WRITTEN)
  return place
}

function count_stems(from: i32, to: i32, weight: i32): void {
  for (let place = from; place < to; place++) count_stem(stem_of(load<i32>(ids + (place << 2))), weight)
}

// @ts-ignore: decorator
@inline
function count_stem(stem: i32, weight: i32): void {
  const term = record(stem)
  const before = load<i32>(term, COUNT)
  if (before == 0) store<i32>(counted + (found++ << 2), stem)
  store<i32>(term, before + weight, COUNT)
}

/** A hash of 24 bits and a count of 8 for each; after that none is counted. */
function write_counts(): void {
  for (let place = 0; place < found; place++) {
    const stem = load<i32>(counted + (place << 2))
    const term = record(stem)
    store<u32>(tally, packed_hash_of(stem) | min(load<i32>(term, COUNT), COUNT_LIMIT))
    store<i32>(term, 0, COUNT)
    tally += 4
  }
}
