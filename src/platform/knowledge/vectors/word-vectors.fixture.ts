import type { Chunk } from '../knowledge.ts'
import { LEAD_WEIGHT } from '../ranking/ranking-weights.ts'
import { leadOf, splitName } from '../words/chunk-terms.ts'
import { splitTerms } from '../words/split-terms.ts'
import type { VectorTable } from './word-vectors.ts'

const CHUNK_WORD_LIMIT = 400
const NAME_WORD_LIMIT = 60
const TERMS_FOR_A_WORD = 3

/** The vector of a word as it is defined, one number after the other. */
export function wordVector(table: VectorTable, word: string): Float32Array {
  const row = table.words.indexOf(word)
  const vector = new Float32Array(table.dimensions)
  const pieces = hashPieces(`<${word}>`)
  const factor = Math.sqrt((row === -1 ? 1 : 0.5) / Math.sqrt(pieces.size))
  if (row !== -1) addRow(table, row, 1, vector)
  for (const piece of pieces) addRow(table, table.words.length + (piece % table.buckets), factor, vector)
  return vector
}

function hashPieces(text: string): Set<number> {
  const pieces = new Set<number>()
  for (const length of [3, 4, 5])
    for (let at = 0; at + length <= text.length; at++) {
      let hash = 2_166_136_261
      for (const letter of text.slice(at, at + length))
        hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619)
      pieces.add(hash >>> 0)
    }
  return pieces
}

function addRow(table: VectorTable, row: number, factor: number, vector: Float32Array): void {
  const scale = Math.fround((table.scales[row] as number) * factor)
  for (const [at, number] of vector.entries())
    vector[at] = number + Math.fround(scale * (table.rows[row * table.dimensions + at] as number))
}

/** The vectors of a document's chunks as they are defined, in plain steps. */
export function chunkVectors(table: VectorTable, path: string, chunks: readonly Chunk[]): Int8Array[] {
  return chunks.map((chunk) => {
    const [name, owner] = splitName(chunk)
    const counts = new Map<string, number>()
    countWords(counts, chunk.text, CHUNK_WORD_LIMIT, 1)
    countWords(counts, chunk.text, leadOf(chunk), LEAD_WEIGHT)
    countWords(counts, name, NAME_WORD_LIMIT, 6)
    countWords(counts, owner, NAME_WORD_LIMIT, 2)
    countWords(counts, path, NAME_WORD_LIMIT, chunk.name === '' ? 2 : 1)
    return addUp(table, counts)
  })
}

function countWords(counts: Map<string, number>, text: string, limit: number, weight: number): void {
  const words = splitTerms(text)
    .slice(0, limit * TERMS_FOR_A_WORD)
    .flatMap((term) => term.match(/[a-z]{2,}/g) ?? [])
  for (const word of words.slice(0, limit)) counts.set(word, (counts.get(word) ?? 0) + weight)
}

function addUp(table: VectorTable, counts: ReadonlyMap<string, number>): Int8Array {
  const sum = new Float32Array(table.dimensions)
  for (const [word, count] of counts) {
    const factor = Math.fround(Math.sqrt(count))
    const vector = wordVector(table, word)
    for (const [at, number] of sum.entries()) sum[at] = number + Math.fround((vector[at] as number) * factor)
  }
  const squares = sum.reduce((all, number) => all + number * number, 0)
  const factor = squares === 0 ? 0 : 127 / Math.sqrt(squares)
  return Int8Array.from(sum, (number) => Math.round(number * factor))
}
