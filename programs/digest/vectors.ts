// The vector of each chunk: those of its words, added up. A word has a row of its own in the table, rows for its
// pieces, or both. The order in which numbers are added is that of the words, so that a vector is always the same.

import {
  addends,
  COUNT,
  counted,
  DIMENSIONS,
  ids,
  parts,
  record,
  shown,
  sum,
  VECTOR,
  VECTOR_BYTES,
} from './layout'
import { PART_LEAD, PART_PATH_BOOST, part } from './parts'
import { find_id, length_of, letters_of, round, terms } from './terms'
import { forget_vectors, make_vector } from './word-vectors'

/** Stands for a term that is no word. */
const NONE: i32 = 1
const A: i32 = 97
const Z: i32 = 122
/** Numbers, single letters and other scripts stand between the words. */
const TERMS_FOR_A_WORD: i32 = 3
/** The length of every vector, so that a dot product is a cosine. */
const VECTOR_LENGTH: f64 = 127
/** Of a sum, what is added up at once. */
const STRIPE_BYTES: i32 = 128

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
  forget_vectors()
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
  // Behind the counted words there is room.
  const place = is_word(id) ? make_vector(id, counted + (found << 2)) : NONE
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
