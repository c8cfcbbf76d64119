import { isPlainWord, readPlainWords } from './read-words.ts'
import { idOf, termOf } from './term-ids.ts'
import type { VectorTable } from './vector-table.ts'

/** Vectors whose room is taken at once: one by one they would cost more. */
const SLAB = 256
const SHORTEST_PIECE = 3
const LONGEST_PIECE = 5
/** The pieces of a word that has a row of its own count half. */
const LISTED_SHARE = 0.5
const HASH_START = 2_166_136_261
const HASH_PRIME = 16_777_619

/** A word with its vector. */
export interface WordVector {
  readonly vector: Float32Array
  /** Used while the words of one text are counted, and 0 otherwise: a map for each text would cost more. */
  count: number
}

/** Gives any word a vector, from its own row where it is listed and from the rows of its pieces. */
export interface WordVectors {
  readonly dimensions: number
  find(word: string): WordVector
  /** The vectors of terms by their numbers. A repository has few distinct words, so they are kept for one round. */
  ofRound(round: number): TermVectors
}

/** The words in terms; most are one. */
export interface TermVectors {
  find(term_id: number): WordVector | undefined
  /** Of a term that is not a plain word: what there is of words in it. */
  findAll(term_id: number): readonly WordVector[]
}

/** Word vectors over a table. */
export function openWordVectors(table: VectorTable): WordVectors {
  const rows = new Map(table.words.map((word, row) => [word, row]))
  const find = (word: string, vector: Float32Array) => ({
    vector: makeVector(table, rows.get(word), word, vector),
    count: 0,
  })
  let kept: { round: number; vectors: TermVectors } | undefined
  return {
    dimensions: table.dimensions,
    find: (word) => find(word, new Float32Array(table.dimensions)),
    ofRound(round) {
      if (kept?.round !== round) kept = { round, vectors: keepVectors(table.dimensions, find) }
      return kept.vectors
    },
  }
}

function keepVectors(
  dimensions: number,
  make: (word: string, vector: Float32Array) => WordVector,
): TermVectors {
  const plain: (WordVector | undefined)[] = []
  const odd = new Map<number, WordVector[]>()
  let slab = new Float32Array(0)
  const makeKept = (word: string) => {
    if (slab.length === 0) slab = new Float32Array(SLAB * dimensions)
    const vector = slab.subarray(0, dimensions)
    slab = slab.subarray(dimensions)
    return make(word, vector)
  }
  const find = (term_id: number) => {
    if (term_id < plain.length) return plain[term_id]
    while (plain.length <= term_id) {
      const term = termOf(plain.length)
      plain.push(isPlainWord(term) ? makeKept(term) : undefined)
    }
    return plain[term_id]
  }
  const findAll = (term_id: number) => {
    const known = odd.get(term_id)
    if (known) return known
    const words = readPlainWords(termOf(term_id)).map((word) => find(idOf(word)) as WordVector)
    odd.set(term_id, words)
    return words
  }
  return { find, findAll }
}

function makeVector(
  table: VectorTable,
  row: number | undefined,
  word: string,
  vector: Float32Array,
): Float32Array {
  const pieces = hashPieces(`<${word}>`)
  const share = row === undefined ? 1 : LISTED_SHARE
  const factor = Math.sqrt(share / Math.sqrt(pieces.length))
  if (row !== undefined) addRow(table, row, 1, vector)
  for (const piece of pieces) addRow(table, table.words.length + (piece % table.buckets), factor, vector)
  return vector
}

/** The hashes of a text's pieces, each once; FNV-1a of 32 bits. */
function hashPieces(text: string): number[] {
  const pieces: number[] = []
  for (let length = SHORTEST_PIECE; length <= LONGEST_PIECE; length++)
    for (let at = 0; at + length <= text.length; at++) {
      let hash = HASH_START
      for (let letter = at; letter < at + length; letter++)
        hash = Math.imul(hash ^ text.charCodeAt(letter), HASH_PRIME)
      if (!pieces.includes(hash >>> 0)) pieces.push(hash >>> 0)
    }
  return pieces
}

function addRow(table: VectorTable, row: number, factor: number, vector: Float32Array): void {
  const scale = (table.scales[row] as number) * factor
  const start = row * table.dimensions
  for (let at = 0; at < vector.length; at++)
    vector[at] = (vector[at] as number) + scale * (table.rows[start + at] as number)
}
