// Where everything lies in the memory. All places are set once, by `lay_out`; only the vectors of words, which lie
// last, take more room later. What is never written takes up no memory, so the rooms are ample.

/** Numbers in one vector, and the bytes of it as floats. */
export const DIMENSIONS: i32 = 128
export const VECTOR_BYTES: i32 = DIMENSIONS * 4
/** So many terms are known by number; when there are more, the next document begins anew. */
const TERMS_KEPT: i32 = 65_536
export const TERM_LENGTH_LIMIT: i32 = 24
/** Of one letter or digit each. All others that differ take two bytes of a document, a stem may differ from each, and so may words within it. */
const FEW_TERMS: i32 = 128
const CLASSES_BYTES: i32 = 65_536
const PAGE: i32 = 65_536
/** What is copied in large steps may go on so far behind its end. */
const SLACK: i32 = 64
const UNKNOWN_CLASS: u8 = 255

/**
 * What a record has: where the letters begin and how many they are, hash, stem, count, vector, where it is written, what
 * it is looked for by, and its letters in 24 bytes where all are ASCII.
 */
const RECORD_BITS: i32 = 6
const RECORD_BYTES: i32 = 1 << RECORD_BITS
export const START: usize = 0
export const LENGTH: usize = 4
export const HASH: usize = 8
export const STEM: usize = 12
export const COUNT: usize = 16
export const VECTOR: usize = 20
export const WRITTEN: usize = 24
export const KEY: usize = 28
export const PACKED: usize = 32

export let listed: i32 = 0
export let buckets: i32 = 0
/** Of each row of the table. */
export let scales: i32 = 0
export let rows: i32 = 0
/** The class of each character. */
export let classes: i32 = 0
/** All that is known of each term, side by side. */
export let records: i32 = 0
/** Terms as they are written, one after the other. */
export let written: i32 = 0
/** Places by hash, each with a number and one more, or 0. */
export let slots: i32 = 0
export let letters: i32 = 0
/** The bytes of a document, what its parts are, the characters of the one that is being read, and the numbers of its terms. */
export let source: i32 = 0
export let parts: i32 = 0
export let input: i32 = 0
export let ids: i32 = 0
/** Where what was written for each part ends. */
export let ends: i32 = 0
/** What was counted and has to be set back. */
export let counted: i32 = 0
/** Of each counted word: where its vector is, and what that is multiplied by. */
export let addends: i32 = 0
/** A word while it is cut. */
export let scratch: i32 = 0
export let output: i32 = 0
/** How often stems count in each chunk, as it is handed over. */
export let tallies: i32 = 0
/** Vectors as they are handed over. */
export let shown: i32 = 0
export let sum: i32 = 0
/** Where the vectors of words begin. */
export let word_vectors: i32 = 0

let end: i32 = 0

function take(bytes: i32): i32 {
  const place = end
  end = (end + bytes + 63) & ~63
  return place
}

/**
 * Lays out the memory for a table of so many listed words and buckets, and for documents up to a weight: their
 * bytes, and for each chunk those of their path and a few more.
 */
export function lay_out(words: i32, bucket_count: i32, weight: i32): void {
  listed = words
  buckets = bucket_count
  end = (<i32>__heap_base + 63) & ~63
  const row_count = words + bucket_count
  const terms = words + TERMS_KEPT + FEW_TERMS + weight + (weight >> 1)
  scales = take(row_count * 4)
  rows = take(row_count * DIMENSIONS)
  classes = take(CLASSES_BYTES)
  records = take(terms * RECORD_BYTES)
  written = take(terms * 2 + (terms + weight) * 3 + TERMS_KEPT * TERM_LENGTH_LIMIT * 3 + SLACK)
  slots = take(terms * 16)
  letters = take((terms + weight) * 2 + TERMS_KEPT * TERM_LENGTH_LIMIT * 2 + SLACK)
  source = take(weight + SLACK)
  parts = take(weight * 4)
  input = take((weight + 1) * 2 + SLACK)
  ids = take(weight * 4)
  ends = take(weight * 4)
  counted = take(terms * 4)
  addends = take(terms * 8)
  scratch = take(4 * TERM_LENGTH_LIMIT + SLACK)
  output = take(weight * 12 + SLACK)
  tallies = take(weight * 4)
  shown = take(weight * 4)
  sum = take(VECTOR_BYTES)
  word_vectors = end
  reserve(end)
  memory.fill(classes, UNKNOWN_CLASS, CLASSES_BYTES)
}

/** What is known of a term. */
// @ts-ignore: decorator
@inline
export function record(id: i32): i32 {
  return records + (id << RECORD_BITS)
}

/** Whether so many terms are too many to go on with. */
export function is_full(terms: i32): bool {
  return terms >= listed + TERMS_KEPT
}

/** Makes the memory at least so large. */
export function reserve(bytes: i32): void {
  const pages = (bytes + PAGE - 1) / PAGE - memory.size()
  if (pages > 0 && memory.grow(pages) < 0) unreachable()
}
