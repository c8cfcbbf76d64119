import type { VectorTable } from './vector-table.ts'

/** So many words keep their vectors, about 16 MB; when it is full it begins anew. */
const CACHE_LIMIT = 32_768
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
}

/** Word vectors over a table. A repository has few distinct words, so they are kept. */
export function openWordVectors(table: VectorTable): WordVectors {
  const rows = new Map(table.words.map((word, row) => [word, row]))
  const known = new Map<string, WordVector>()
  return {
    dimensions: table.dimensions,
    find(word) {
      const kept = known.get(word)
      if (kept) return kept
      if (known.size >= CACHE_LIMIT) known.clear()
      const made = { vector: makeVector(table, rows.get(word), word), count: 0 }
      known.set(word, made)
      return made
    },
  }
}

function makeVector(table: VectorTable, row: number | undefined, word: string): Float32Array {
  const vector = new Float32Array(table.dimensions)
  const pieces = listPieces(`<${word}>`)
  const share = row === undefined ? 1 : LISTED_SHARE
  const factor = Math.sqrt(share / Math.sqrt(pieces.size))
  if (row !== undefined) addRow(table, row, 1, vector)
  for (const piece of pieces)
    addRow(table, table.words.length + (hashOf(piece) % table.buckets), factor, vector)
  return vector
}

function listPieces(text: string): Set<string> {
  const pieces = new Set<string>()
  for (let length = SHORTEST_PIECE; length <= LONGEST_PIECE; length++)
    for (let at = 0; at + length <= text.length; at++) pieces.add(text.slice(at, at + length))
  return pieces
}

function addRow(table: VectorTable, row: number, factor: number, vector: Float32Array): void {
  const scale = (table.scales[row] as number) * factor
  const start = row * table.dimensions
  for (let at = 0; at < vector.length; at++)
    vector[at] = (vector[at] as number) + scale * (table.rows[start + at] as number)
}

/** FNV-1a of 32 bits. */
function hashOf(text: string): number {
  let hash = HASH_START
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_PRIME)
  return hash >>> 0
}
