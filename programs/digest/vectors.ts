// The vector of each chunk: those of its words, added up. A word has a row of its own in the table, rows for its
// pieces, or both. The order in which numbers are added is that of the words, so that a vector is always the same.

import {
  addends,
  buckets,
  COUNT,
  counted,
  DIMENSIONS,
  ids,
  listed,
  parts,
  record,
  reserve,
  rows,
  scales,
  scratch,
  shown,
  sum,
  VECTOR,
  VECTOR_BYTES,
  word_vectors,
} from './layout'
import { PART_LEAD, PART_PATH_BOOST, part } from './parts'
import { find_id, length_of, letters_of, round, terms } from './terms'

/** Stands for a term that is no word. */
const NONE: i32 = 1
const A: i32 = 97
const Z: i32 = 122
/** Numbers, single letters and other scripts stand between the words. */
const TERMS_FOR_A_WORD: i32 = 3
const SHORTEST_PIECE: i32 = 3
const LONGEST_PIECE: i32 = 5
/** The pieces of a word that has a row of its own count half. */
const LISTED_SHARE: f64 = 0.5
const HASH_START: u32 = 2_166_136_261
const HASH_PRIME: u32 = 16_777_619
/** The length of every vector, so that a dot product is a cosine. */
const VECTOR_LENGTH: f64 = 127
const SLAB_VECTORS: i32 = 1_024
/** Of a sum, what is added up at once. */
const STRIPE_BYTES: i32 = 128
/** Of a word's vector, likewise. */
const STRIPE_NUMBERS: i32 = 16

let end: i32 = 0
let room_end: i32 = 0
let known_round: i32 = -1
let found: i32 = 0

/** Writes the vectors of all chunks of the document that was read. */
export function write_vectors(
  chunks: i32,
  text_limit: i32,
  name_limit: i32,
  lead_weight: i32,
  name_weight: i32,
  owner_weight: i32,
): void {
  begin_round()
  const path_end = load<i32>(parts)
  let from = path_end
  for (let chunk = 0; chunk < chunks; chunk++) {
    const place = part(chunk)
    const body = load<i32>(place)
    const name = load<i32>(place, 8)
    const owner = load<i32>(place, 16)
    count_words(from, body, text_limit, 1)
    count_words(from, body, load<i32>(place, PART_LEAD), lead_weight)
    count_words(body, name, name_limit, name_weight)
    count_words(name, owner, name_limit, owner_weight)
    count_words(0, path_end, name_limit, load<i32>(place, PART_PATH_BOOST))
    add_up()
    write_bytes(shown + chunk * DIMENSIONS)
    from = owner
  }
}

/** The vectors of words whose numbers were forgotten are forgotten too, and those of listed words with them. */
function begin_round(): void {
  if (round == known_round) return
  known_round = round
  end = word_vectors
  room_end = word_vectors
  for (let id = 0; id < terms; id++) store<i32>(record(id), 0, VECTOR)
}

/** Counts the first words of some terms. */
function count_words(from: i32, to: i32, limit: i32, weight: i32): void {
  const last = min(to, from + limit * TERMS_FOR_A_WORD)
  let left = limit
  for (let place = from; place < last && left > 0; place++) {
    const id = load<i32>(ids + (place << 2))
    if (vector_of(id) != NONE) {
      left--
      count_word(id, weight)
    } else left = count_words_in(id, left, weight)
  }
}

/** What there is of words in a term that is none; answers how many may still be counted. */
function count_words_in(id: i32, left: i32, weight: i32): i32 {
  const length = length_of(id)
  let start = 0
  for (let at = 0; at <= length; at++) {
    if (at < length && is_letter(<i32>load<u16>(letters_of(id) + (at << 1)))) continue
    if (at - start > 1 && left-- > 0) {
      const word = find_id(letters_of(id) + (start << 1), at - start, true)
      vector_of(word)
      count_word(word, weight)
    }
    start = at + 1
  }
  return left
}

function count_word(id: i32, weight: i32): void {
  const term = record(id)
  const before = load<i32>(term, COUNT)
  if (before == 0) store<i32>(counted + (found++ << 2), id)
  store<i32>(term, before + weight, COUNT)
}

/** Where the vector of a word is. */
function vector_of(id: i32): i32 {
  const known = load<i32>(record(id), VECTOR)
  return known != 0 ? known : learn_vector(id)
}

function learn_vector(id: i32): i32 {
  const place = is_word(id) ? make_vector(id) : NONE
  store<i32>(record(id), place, VECTOR)
  return place
}

function is_letter(code: i32): bool {
  return code >= A && code <= Z
}

/** Two or more of the letters a to z. */
function is_word(id: i32): bool {
  const length = length_of(id)
  const from = letters_of(id)
  for (let at = 0; at < length; at++) if (!is_letter(<i32>load<u16>(from + (at << 1)))) return false
  return length > 1
}

function make_vector(id: i32): i32 {
  const place = end
  end += VECTOR_BYTES
  if (end > room_end) {
    room_end = end + SLAB_VECTORS * VECTOR_BYTES
    reserve(room_end)
  }
  const rows_of = list_rows(id)
  for (let stripe = 0; stripe < DIMENSIONS; stripe += STRIPE_NUMBERS) add_rows(place, rows_of, stripe)
  return place
}

/** Lists the rows that a word is made of, its own and those of its pieces; answers how many bytes the list has. */
function list_rows(id: i32): i32 {
  let list = addends
  if (id < listed) list = put_row(list, id, 1)
  const pieces = counted + (found << 2)
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

/** The hashes of a word's pieces, each once. They are kept where words are counted, which is behind. */
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

/** Adds up the counted words, each by the root of its count; after that none is counted. */
function add_up(): void {
  for (let place = 0; place < found; place++) {
    const term = record(load<i32>(counted + (place << 2)))
    store<i32>(addends + (place << 3), load<i32>(term, VECTOR))
    store<f32>(addends + (place << 3), <f32>sqrt(<f64>load<i32>(term, COUNT)), 4)
    store<i32>(term, 0, COUNT)
  }
  for (let at = 0; at < VECTOR_BYTES; at += STRIPE_BYTES) add_stripe(at)
  found = 0
}

/** As many numbers of the sum as the processor holds at once, of all words one after the other. */
function add_stripe(stripe: i32): void {
  let a = f32x4.splat(0)
  let b = a
  let c = a
  let d = a
  let e = a
  let f = a
  let g = a
  let h = a
  const end = addends + (found << 3)
  for (let addend = addends; addend < end; addend += 8) {
    const from = load<i32>(addend) + stripe
    const factor = v128.load32_splat(addend, 4)
    a = f32x4.add(a, f32x4.mul(v128.load(from), factor))
    b = f32x4.add(b, f32x4.mul(v128.load(from, 16), factor))
    c = f32x4.add(c, f32x4.mul(v128.load(from, 32), factor))
    d = f32x4.add(d, f32x4.mul(v128.load(from, 48), factor))
    e = f32x4.add(e, f32x4.mul(v128.load(from, 64), factor))
    f = f32x4.add(f, f32x4.mul(v128.load(from, 80), factor))
    g = f32x4.add(g, f32x4.mul(v128.load(from, 96), factor))
    h = f32x4.add(h, f32x4.mul(v128.load(from, 112), factor))
  }
  const to = sum + stripe
  v128.store(to, a)
  v128.store(to, b, 16)
  v128.store(to, c, 32)
  v128.store(to, d, 48)
  v128.store(to, e, 64)
  v128.store(to, f, 80)
  v128.store(to, g, 96)
  v128.store(to, h, 112)
}

/** The sum in whole numbers, brought to the common length; a text without words is like nothing. */
function write_bytes(place: i32): void {
  let squares: f64 = 0
  for (let at = 0; at < VECTOR_BYTES; at += 4) {
    const number = <f64>load<f32>(sum + at)
    squares += number * number
  }
  const factor = f64x2.splat(squares == 0 ? 0 : VECTOR_LENGTH / sqrt(squares))
  for (let at = 0; at < DIMENSIONS; at += 4) {
    const numbers = v128.load(sum + (at << 2))
    const low = rounded(f64x2.mul(f64x2.promote_low_f32x4(numbers), factor))
    const high = rounded(
      f64x2.mul(f64x2.promote_low_f32x4(v128.shuffle<i64>(numbers, numbers, 1, 1)), factor),
    )
    const whole = v128.shuffle<i64>(low, high, 0, 2)
    const shorts = i16x8.narrow_i32x4_s(whole, whole)
    v128.store32_lane(place + at, i8x16.narrow_i16x8_s(shorts, shorts), 0)
  }
}

/** Two whole numbers, the higher one from a half on. */
// @ts-ignore: decorator
@inline
function rounded(numbers: v128): v128 {
  const below = f64x2.floor(numbers)
  const is_up = f64x2.ge(f64x2.sub(numbers, below), f64x2.splat(0.5))
  return i32x4.trunc_sat_f64x2_s_zero(f64x2.add(below, v128.and(is_up, f64x2.splat(1))))
}
