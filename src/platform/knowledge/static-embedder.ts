import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { leadOf } from './chunk-terms.ts'
import { readDocumentTerms } from './document-terms.ts'
import { STATIC_EMBEDDER } from './index-form.ts'
import type { Chunk, Embedder } from './knowledge.ts'
import { LEAD_WEIGHT } from './ranking-weights.ts'
import { VECTOR_LENGTH } from './scale-vector.ts'
import { beginTermIds, emptyTermIds, readTermIds } from './term-ids.ts'
import { parseVectorTable, type VectorTable } from './vector-table.ts'
import { openWordVectors, type TermVectors, type WordVector, type WordVectors } from './word-vectors.ts'

const TABLE_FILE = join(PACKAGE_FOLDER, 'vectors', 'codevec-128.bin')
/** Later words of a text add little. */
const CHUNK_WORD_LIMIT = 400
const QUERY_WORD_LIMIT = 60
/** Numbers, single letters and other scripts stand between the words. */
const TERMS_FOR_A_WORD = 3
/** So often more does a word count that names the chunk, what leads to it, or its file. */
const BOOSTS = { name: 6, owner: 2, path: 1, path_of_nameless: 2 } as const

let shared: WordVectors | undefined

/** The embedder that comes with the program: word vectors from a table, added up. Read once a process. */
export function openStaticEmbedder(): Embedder {
  return makeStaticEmbedder(() => {
    shared ??= openWordVectors(readTable(TABLE_FILE))
    return shared
  })
}

/** An embedder over any table, read when it is first needed. */
export function makeStaticEmbedder(open: () => WordVectors): Embedder {
  return {
    id: STATIC_EMBEDDER,
    dimensions: 128,
    embedChunks: async (path, chunks) => embedDocument(open(), path, chunks),
    async embedQuery(query) {
      const words = open()
      const vectors = words.ofRound(beginTermIds())
      const list = emptyTermIds()
      readTermIds(query, list)
      countWords(vectors, list.items, 0, list.length, QUERY_WORD_LIMIT, 1)
      return addUp(vectors, new Int8Array(words.dimensions))
    },
  }
}

function readTable(file: string): VectorTable {
  return parseVectorTable(readFileSync(file))
}

function embedDocument(words: WordVectors, path: string, chunks: readonly Chunk[]): Int8Array[] {
  const { round, ids, path_end, ends } = readDocumentTerms(path, chunks)
  const vectors = words.ofRound(round)
  // One block for all: many small ones take longer to get and to give back.
  const block = new Int8Array(chunks.length * words.dimensions)
  let from = path_end
  return chunks.map((chunk, at) => {
    const [body_end, name_end, owner_end] = [ends[at * 3], ends[at * 3 + 1], ends[at * 3 + 2]] as Ends
    countWords(vectors, ids, from, body_end, CHUNK_WORD_LIMIT, 1)
    countWords(vectors, ids, from, body_end, leadOf(chunk), LEAD_WEIGHT)
    countWords(vectors, ids, body_end, name_end, QUERY_WORD_LIMIT, BOOSTS.name)
    countWords(vectors, ids, name_end, owner_end, QUERY_WORD_LIMIT, BOOSTS.owner)
    const path_boost = chunk.name === '' ? BOOSTS.path_of_nameless : BOOSTS.path
    countWords(vectors, ids, 0, path_end, QUERY_WORD_LIMIT, path_boost)
    from = owner_end
    return addUp(vectors, block.subarray(at * words.dimensions, (at + 1) * words.dimensions))
  })
}

type Ends = [body: number, name: number, owner: number]

/** The words that are being counted. */
const counted: WordVector[] = []

/** Counts the first words of some terms. */
function countWords(
  vectors: TermVectors,
  ids: Int32Array,
  from: number,
  to: number,
  limit: number,
  weight: number,
): void {
  const last = Math.min(to, from + limit * TERMS_FOR_A_WORD)
  let left = limit
  for (let at = from; at < last && left > 0; at++) {
    const word = vectors.find(ids[at] as number)
    if (word !== undefined) {
      left--
      countWord(word, weight)
    } else for (const part of vectors.findAll(ids[at] as number)) if (left-- > 0) countWord(part, weight)
  }
}

function countWord(word: WordVector, weight: number): void {
  if (word.count === 0) counted.push(word)
  word.count += weight
}

/** The counted words as one vector; after that none is counted. */
function addUp(vectors: TermVectors, bytes: Int8Array): Int8Array {
  const sum = vectors.addUp(counted)
  for (const word of counted) word.count = 0
  counted.length = 0
  return toBytes(sum, bytes)
}

/** Rounded to whole numbers; a text without words gets the zero vector, which is like nothing. */
function toBytes(sum: Float32Array, bytes: Int8Array): Int8Array {
  let squares = 0
  for (let at = 0; at < sum.length; at++) squares += (sum[at] as number) * (sum[at] as number)
  const factor = squares === 0 ? 0 : VECTOR_LENGTH / Math.sqrt(squares)
  for (let at = 0; at < sum.length; at++) bytes[at] = Math.round((sum[at] as number) * factor)
  return bytes
}
