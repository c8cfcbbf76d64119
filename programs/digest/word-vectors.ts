// The vector of each word: its own row of the table, those of its pieces, or both, added up in the order of their list.

import {
  addends,
  buckets,
  DIMENSIONS,
  listed,
  reserve,
  rows,
  scales,
  scratch,
  VECTOR_BYTES,
  word_vectors,
} from './layout'
import { length_of, letters_of } from './terms'

const SHORTEST_PIECE: i32 = 3
const LONGEST_PIECE: i32 = 5
/** The pieces of a word that has a row of its own count half. */
const LISTED_SHARE: f64 = 0.5
const HASH_START: u32 = 2_166_136_261
const HASH_PRIME: u32 = 16_777_619
const SLAB_VECTORS: i32 = 1_024
/** Of a word's vector, what is added up at once. */
const STRIPE_NUMBERS: i32 = 16

let end: i32 = 0
let room_end: i32 = 0

/** Forgets all vectors. */
export function forget_vectors(): void {
  end = word_vectors
  room_end = word_vectors
}

/** Makes the vector of a word; hashes of its pieces are kept at a place meanwhile. Answers where the vector is. */
export function make_vector(id: i32, pieces: i32): i32 {
  const place = end
  end += VECTOR_BYTES
  if (end > room_end) {
    room_end = end + SLAB_VECTORS * VECTOR_BYTES
    reserve(room_end)
  }
  const rows_of = list_rows(id, pieces)
  for (let stripe = 0; stripe < DIMENSIONS; stripe += STRIPE_NUMBERS) add_rows(place, rows_of, stripe)
  return place
}

/** Lists the rows that a word is made of, its own and those of its pieces; answers how many bytes the list has. */
function list_rows(id: i32, pieces: i32): i32 {
  let list = addends
  if (id < listed) list = put_row(list, id, 1)
  const count = hash_pieces(id, pieces)
  const share: f64 = id < listed ? LISTED_SHARE : 1
  const factor = sqrt(share / sqrt(<f64>count))
  for (let piece = 0; piece < count; piece++)
    list = put_row(list, listed + <i32>(load<u32>(pieces + (piece << 2)) % <u32>buckets), factor)
  return list - addends
}

function put_row(list: i32, row: i32, factor: f64): i32 {
  store<i32>(list, rows + row * DIMENSIONS)
  store<f32>(list, <f32>(<f64>load<f32>(scales + (row << 2)) * factor), 4)
  return list + 8
}

/** The hashes of a word's pieces, each once. */
function hash_pieces(id: i32, pieces: i32): i32 {
  const length = length_of(id) + 2
  store<u16>(scratch, 60)
  memory.copy(scratch + 2, letters_of(id), (length - 2) << 1)
  store<u16>(scratch + ((length - 1) << 1), 62)
  let count = 0
  for (let size = SHORTEST_PIECE; size <= LONGEST_PIECE; size++)
    for (let at = 0; at + size <= length; at++) {
      const hash = hash_piece(at, size)
      if (is_new(pieces, count, hash)) store<u32>(pieces + (count++ << 2), hash)
    }
  return count
}

function hash_piece(at: i32, size: i32): u32 {
  let hash = HASH_START
  for (let letter = at; letter < at + size; letter++)
    hash = (hash ^ <u32>load<u16>(scratch + (letter << 1))) * HASH_PRIME
  return hash
}

function is_new(pieces: i32, count: i32, hash: u32): bool {
  for (let piece = 0; piece < count; piece++) if (load<u32>(pieces + (piece << 2)) == hash) return false
  return true
}

/** Adds sixteen numbers of all listed rows up, in the order of the list. */
function add_rows(vector: i32, bytes: i32, stripe: i32): void {
  let a = f32x4.splat(0)
  let b = a
  let c = a
  let d = a
  for (let at = addends; at < addends + bytes; at += 8) {
    const numbers = v128.load(load<i32>(at) + stripe)
    const scale = v128.load32_splat(at, 4)
    const low = i16x8.extend_low_i8x16_s(numbers)
    const high = i16x8.extend_high_i8x16_s(numbers)
    a = f32x4.add(a, f32x4.mul(scale, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low))))
    b = f32x4.add(b, f32x4.mul(scale, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low))))
    c = f32x4.add(c, f32x4.mul(scale, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high))))
    d = f32x4.add(d, f32x4.mul(scale, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high))))
  }
  const to = vector + (stripe << 2)
  v128.store(to, a)
  v128.store(to, b, 16)
  v128.store(to, c, 32)
  v128.store(to, d, 48)
}
