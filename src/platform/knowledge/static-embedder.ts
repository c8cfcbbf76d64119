import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { splitName } from './chunk-terms.ts'
import type { Chunk, Embedder } from './knowledge.ts'
import { readWords } from './read-words.ts'
import { parseVectorTable, type VectorTable } from './vector-table.ts'
import { openWordVectors, type WordVector, type WordVectors } from './word-vectors.ts'

const TABLE_FILE = join(PACKAGE_FOLDER, 'vectors', 'codevec-128.bin')
/** Changes with the table and with how words are counted: an index of another form is made anew. */
const EMBEDDER_ID = 'codevec-128/1'
/** Later words of a text add little. */
const CHUNK_WORD_LIMIT = 400
const QUERY_WORD_LIMIT = 60
/** So often more does a word count that names the chunk, what leads to it, or its file. */
const BOOSTS = { name: 6, owner: 2, path: 1, path_of_nameless: 2 } as const
/** The length of every vector, so that a dot product is a cosine. */
const VECTOR_LENGTH = 127

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
    id: EMBEDDER_ID,
    dimensions: 128,
    async embedChunks(path, chunks) {
      const path_words = readWords(path, QUERY_WORD_LIMIT)
      return chunks.map((chunk) => embedChunk(open(), path_words, chunk))
    },
    embedQuery: async (query) => embedWords(open(), [[readWords(query, QUERY_WORD_LIMIT), 1]]),
  }
}

function readTable(file: string): VectorTable {
  return parseVectorTable(readFileSync(file))
}

function embedChunk(words: WordVectors, path_words: readonly string[], chunk: Chunk): Int8Array {
  const [name, owner] = splitName(chunk)
  return embedWords(words, [
    [readWords(chunk.text, CHUNK_WORD_LIMIT), 1],
    [readWords(name, QUERY_WORD_LIMIT), BOOSTS.name],
    [readWords(owner, QUERY_WORD_LIMIT), BOOSTS.owner],
    [path_words, chunk.name === '' ? BOOSTS.path_of_nameless : BOOSTS.path],
  ])
}

/** Adds up the vectors of words, each by the root of how often it counts in all the lists. */
function embedWords(
  words: WordVectors,
  lists: readonly (readonly [words: readonly string[], weight: number])[],
): Int8Array {
  const found: WordVector[] = []
  for (const [list, weight] of lists)
    for (const word of list) {
      const known = words.find(word)
      if (known.count === 0) found.push(known)
      known.count += weight
    }
  const sum = new Float64Array(words.dimensions)
  for (const known of found) {
    addScaled(sum, known.vector, Math.sqrt(known.count))
    known.count = 0
  }
  return toBytes(sum)
}

function addScaled(sum: Float64Array, vector: Float32Array, factor: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + factor * (vector[at] as number)
}

/** Rounded to whole numbers; a text without words gets the zero vector, which is like nothing. */
function toBytes(sum: Float64Array): Int8Array {
  let squares = 0
  for (const value of sum) squares += value * value
  const factor = squares === 0 ? 0 : VECTOR_LENGTH / Math.sqrt(squares)
  const bytes = new Int8Array(sum.length)
  for (let at = 0; at < sum.length; at++) bytes[at] = Math.round((sum[at] as number) * factor)
  return bytes
}
