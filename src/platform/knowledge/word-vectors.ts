import { isPlainWord, readPlainWords } from './read-words.ts'
import { idOf, termOf } from './term-ids.ts'
import { openVectorMath, reserveBytes, strideOf } from './vector-math.ts'
import type { VectorTable } from './vector-table.ts'

/** Vectors whose room is taken at once: one by one they would cost more. */
const SLAB = 1_024
const SHORTEST_PIECE = 3
const LONGEST_PIECE = 5
/** The pieces of a word that has a row of its own count half. */
const LISTED_SHARE = 0.5
const HASH_START = 2_166_136_261
const HASH_PRIME = 16_777_619

/** A word with the place of its vector. */
export interface WordVector {
  readonly place: number
  /** Used while the words of one text are counted, and 0 otherwise: a map for each text would cost more. */
  count: number
}

/** Gives any word a vector, from its own row where it is listed and from the rows of its pieces. */
export interface WordVectors {
  readonly dimensions: number
  find(word: string): Float32Array
  /** The vectors of terms by their numbers. A repository has few distinct words, so they are kept for one round. */
  ofRound(round: number): TermVectors
}

/** The words in terms; most are one. */
export interface TermVectors {
  find(term_id: number): WordVector | undefined
  /** Of a term that is not a plain word: what there is of words in it. */
  findAll(term_id: number): readonly WordVector[]
  /** The sum of words' vectors, each by the root of its count. It is good until the next call. */
  addUp(words: readonly WordVector[]): Float32Array
}

/** Word vectors over a table. */
export function openWordVectors(table: VectorTable): WordVectors {
  const rows = new Map(table.words.map((word, row) => [word, row]))
  const make = (word: string, vector: Float32Array) => makeVector(table, rows.get(word), word, vector)
  const memory = openMemory(table.dimensions)
  let kept: { round: number; vectors: TermVectors } | undefined
  return {
    dimensions: table.dimensions,
    find: (word) => make(word, new Float32Array(table.dimensions)),
    ofRound(round) {
      if (kept?.round !== round) kept = { round, vectors: keepVectors(memory, make) }
      return kept.vectors
    },
  }
}

/** Where the vectors of a round lie, one after the other, behind the sum that is being made. */
interface VectorMemory {
  /** Forgets all vectors. */
  clear(): void
  add(): { place: number; vector: Float32Array }
  addUp: TermVectors['addUp']
}

function openMemory(dimensions: number): VectorMemory {
  const math = openVectorMath()
  const stride = strideOf(dimensions * Float32Array.BYTES_PER_ELEMENT)
  let end = stride
  const vectorAt = (place: number) => new Float32Array(math.memory.buffer, place, dimensions)
  let sum = vectorAt(0)
  return {
    clear() {
      end = stride
    },
    add() {
      const place = end
      end += stride
      if (end > math.memory.buffer.byteLength) {
        reserveBytes(math, end + SLAB * stride)
        sum = vectorAt(0)
      }
      return { place, vector: vectorAt(place).fill(0) }
    },
    addUp(words) {
      sum.fill(0)
      for (const { place, count } of words) math.add_scaled(0, stride, place, Math.sqrt(count))
      return sum
    },
  }
}

function keepVectors(
  memory: VectorMemory,
  make: (word: string, vector: Float32Array) => unknown,
): TermVectors {
  const plain: (WordVector | undefined)[] = []
  const odd = new Map<number, WordVector[]>()
  memory.clear()
  const makeKept = (word: string): WordVector => {
    const { place, vector } = memory.add()
    make(word, vector)
    return { place, count: 0 }
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
  return { find, findAll, addUp: memory.addUp }
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
