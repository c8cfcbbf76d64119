import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../../basics/package-folder.ts'
import { type Chunk, type Embedder, STATIC_EMBEDDER } from '../knowledge.ts'
import { type ChunkTerms, readTerms } from '../words/chunk-terms.ts'
import { openWordVectors, parseVectorTable, type WordVectors } from './word-vectors.ts'

const TABLE_FILE = join(PACKAGE_FOLDER, 'vectors', 'codevec-128.bin')
const QUERY: Omit<Chunk, 'text'> = { kind: 'code', name: '', start_line: 1, end_line: 1 }

let shared: WordVectors | undefined

/** The embedder that comes with the program: word vectors from a table, added up. The table is read once. */
export function openStaticEmbedder(): Embedder {
  return makeStaticEmbedder(() => {
    shared ??= openWordVectors(parseVectorTable(readFileSync(TABLE_FILE)))
    return shared
  })
}

/** An embedder over any table, read when it is first needed. */
export function makeStaticEmbedder(open: () => WordVectors): Embedder {
  return {
    id: STATIC_EMBEDDER,
    dimensions: 128,
    embedChunks: async (path, chunks) => open().embed(readTerms(path, chunks)),
    embedQuery: async (text) => open().embedQuery(readTerms('', [{ ...QUERY, text }])[0] as ChunkTerms),
  }
}
