import { type DocumentDigester, sharedDigester } from './document-digester.ts'
import { STATIC_EMBEDDER } from './index-form.ts'
import type { Embedder } from './knowledge.ts'

/** The embedder that comes with the program: word vectors from a table, added up. */
export function openStaticEmbedder(): Embedder {
  return makeStaticEmbedder(sharedDigester)
}

/** An embedder over any table, read when it is first needed. */
export function makeStaticEmbedder(open: () => DocumentDigester): Embedder {
  return {
    id: STATIC_EMBEDDER,
    dimensions: 128,
    embedChunks: async (path, chunks) => open().embedChunks(path, chunks),
    embedQuery: async (query) => open().embedQuery(query),
  }
}
