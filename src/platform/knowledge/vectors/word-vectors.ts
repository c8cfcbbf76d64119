import { LEAD_WEIGHT } from '../ranking/ranking-weights.ts'
import type { ChunkTerms } from '../words/chunk-terms.ts'
import { hashOf, type Vocabulary } from '../words/vocabulary.ts'
import { VECTOR_LENGTH } from './vector-scan.ts'

/** Later words of a text add little. */
const CHUNK_WORD_LIMIT = 400
const NAME_WORD_LIMIT = 60
const QUERY_WORD_LIMIT = 60
/** So often more does a word count that names the chunk, what leads to it, or its file. */
const BOOSTS = { name: 6, owner: 2, path: 1, path_of_nameless: 2 } as const
/** Numbers, single letters and other scripts stand between the words. */
const TERMS_FOR_A_WORD = 3
const WORD = /^[a-z]{2,}$/
const WORDS = /[a-z]{2,}/g
const [SHORTEST_PIECE, LONGEST_PIECE] = [3, 5]
/** The pieces of a word that has a row of its own count half. */
const LISTED_SHARE = 0.5
const NO_WORDS = [] as const

/** Makes the vectors of chunks: those of their words, added up. */
export interface WordVectors {
  readonly dimensions: number
  /** One vector for each chunk; of a nameless one the path counts more. */
  embed(chunks: readonly ChunkTerms[]): Int8Array[]
  embedQuery(terms: ChunkTerms): Int8Array
}

/** A cache of what is known of the terms of one vocabulary. */
interface KnownWords {
  readonly vocabulary: Vocabulary
  /** By term: the words in it, by their numbers. */
  readonly words: (readonly number[] | undefined)[]
  /** By word: its vector. */
  readonly vectors: (Float32Array | undefined)[]
}

/** Opens a maker of vectors over a table. Vectors of words are kept as long as their vocabulary is used. */
export function openWordVectors(table: VectorTable): WordVectors {
  const sum = openSum(table)
  let known: KnownWords | undefined
  const knownOf = (vocabulary: Vocabulary): KnownWords => {
    if (known?.vocabulary !== vocabulary) known = { vocabulary, words: [], vectors: [] }
    return known
  }
  return {
    dimensions: table.dimensions,
    embed: (chunks) =>
      chunks.map(({ vocabulary, body, lead, is_nameless, name, owner, path }) => {
        const all = knownOf(vocabulary)
        sum.count(all, body, CHUNK_WORD_LIMIT, 1)
        sum.count(all, body, lead, LEAD_WEIGHT)
        sum.count(all, name, NAME_WORD_LIMIT, BOOSTS.name)
        sum.count(all, owner, NAME_WORD_LIMIT, BOOSTS.owner)
        sum.count(all, path, NAME_WORD_LIMIT, is_nameless ? BOOSTS.path_of_nameless : BOOSTS.path)
        return sum.take(all)
      }),
    embedQuery({ vocabulary, body }) {
      const all = knownOf(vocabulary)
      sum.count(all, body, QUERY_WORD_LIMIT, 1)
      return sum.take(all)
    },
  }
}

/** Counts words and adds their vectors up, each by the root of its count, in the order in which they came. */
function openSum(table: VectorTable) {
  const { dimensions } = table
  const rows_of_words = new Map(table.words.map((word, row) => [word, row]))
  const sum = new Float32Array(dimensions)
  const counted: number[] = []

  function learnVector(all: KnownWords, word: number): Float32Array {
    const vector = new Float32Array(dimensions)
    addWord(table, rows_of_words, all.vocabulary.textOf(word), vector)
    all.vectors[word] = vector
    return vector
  }
  return {
    /** Counts the first words of some terms. */
    count(all: KnownWords, terms: readonly number[], limit: number, weight: number): void {
      const { counts } = all.vocabulary
      const last = Math.min(terms.length, limit * TERMS_FOR_A_WORD)
      let left = limit
      for (let at = 0; at < last; at++)
        for (const word of wordsOf(all, terms[at] as number)) {
          if (left-- <= 0) return
          if (counts[word] === 0) counted.push(word)
          counts[word] = (counts[word] as number) + weight
        }
    },
    /** The vector of what was counted; after that nothing is. */
    take(all: KnownWords): Int8Array {
      const { counts } = all.vocabulary
      sum.fill(0)
      for (const word of counted) {
        const vector = all.vectors[word] ?? learnVector(all, word)
        addScaled(sum, vector, Math.sqrt(counts[word] as number))
        counts[word] = 0
      }
      counted.length = 0
      return toLength(sum)
    },
  }
}

/** Most terms are words themselves; in others there may be some between letters of other scripts. */
function wordsOf({ vocabulary, words }: KnownWords, term: number): readonly number[] {
  const before = words[term]
  if (before) return before
  const text = vocabulary.textOf(term)
  const found = WORD.test(text) ? [term] : (text.match(WORDS)?.map(vocabulary.numberOf) ?? NO_WORDS)
  words[term] = found
  return found
}

function addScaled(sum: Float32Array, from: Float32Array, by: number): void {
  const factor = Math.fround(by)
  for (let at = 0; at < sum.length; at++)
    sum[at] = Math.fround((sum[at] as number) + Math.fround((from[at] as number) * factor))
}

/** The vector of a word: its own row of the table, those of its pieces, or both. */
function addWord(
  table: VectorTable,
  rows_of_words: ReadonlyMap<string, number>,
  word: string,
  vector: Float32Array,
): void {
  const row = rows_of_words.get(word)
  const pieces = hashPieces(`<${word}>`)
  const factor = Math.sqrt((row === undefined ? 1 : LISTED_SHARE) / Math.sqrt(pieces.size))
  if (row !== undefined) addRow(table, row, 1, vector)
  for (const piece of pieces) addRow(table, table.words.length + (piece % table.buckets), factor, vector)
}

function addRow(
  { dimensions, scales, rows }: VectorTable,
  row: number,
  factor: number,
  vector: Float32Array,
) {
  const scale = Math.fround((scales[row] as number) * factor)
  const start = row * dimensions
  for (let at = 0; at < dimensions; at++)
    vector[at] = Math.fround((vector[at] as number) + Math.fround(scale * (rows[start + at] as number)))
}

/** The hashes of all runs of three to five letters, each once. */
function hashPieces(text: string): Set<number> {
  const pieces = new Set<number>()
  for (let length = SHORTEST_PIECE; length <= LONGEST_PIECE; length++)
    for (let start = 0; start + length <= text.length; start++)
      pieces.add(hashOf(text.slice(start, start + length)) >>> 0)
  return pieces
}

/** In whole numbers, brought to the common length; a text without words stays zero, which is like nothing. */
function toLength(sum: Float32Array): Int8Array {
  let squares = 0
  for (let at = 0; at < sum.length; at++) squares += (sum[at] as number) ** 2
  const factor = squares === 0 ? 0 : VECTOR_LENGTH / Math.sqrt(squares)
  const vector = new Int8Array(sum.length)
  for (let at = 0; at < sum.length; at++) vector[at] = Math.round((sum[at] as number) * factor)
  return vector
}

const MAGIC = 'EMBVEC01'
const HEAD_BYTES = 24
const NUMBER_BYTES = 4

/** Rows of whole numbers with a scale each: first one for each listed word, then one for each bucket. */
export interface VectorTable {
  readonly dimensions: number
  readonly words: readonly string[]
  readonly buckets: number
  readonly scales: Float32Array
  readonly rows: Int8Array
}

/** Reads a table from the bytes of its file; anything that is not whole is refused. */
export function parseVectorTable(bytes: Uint8Array): VectorTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEAD_BYTES || readText(bytes, 0, MAGIC.length) !== MAGIC)
    throw new Error('The vector table is not one.')
  const [count, buckets, dimensions, list_bytes] = [8, 12, 16, 20].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ]
  const scales_at = HEAD_BYTES + list_bytes + ((NUMBER_BYTES - (list_bytes % NUMBER_BYTES)) % NUMBER_BYTES)
  const rows_at = scales_at + NUMBER_BYTES * (count + buckets)
  if (bytes.length !== rows_at + (count + buckets) * dimensions)
    throw new Error('The vector table is not whole.')
  const words = readText(bytes, HEAD_BYTES, list_bytes).split('\n')
  if (words.length !== count) throw new Error('The vector table lists other words than it counts.')
  const scales = Float32Array.from({ length: count + buckets }, (_, row) =>
    view.getFloat32(scales_at + NUMBER_BYTES * row, true),
  )
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + rows_at, bytes.length - rows_at)
  return { dimensions, words, buckets, scales, rows }
}

function readText(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('latin1')
}
