import { gatherChunks } from './cut-document.ts'
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
    embedChunks: async (path, chunks) => {
      const { digest, dimensions } = open()
      const { vectors } = digest(gatherChunks(path, chunks), { words: false, vectors: true })
      return splitVectors((vectors as Int8Array).slice(), dimensions)
    },
    embedQuery: async (query) => open().embedQuery(query),
  }
}

function splitVectors(vectors: Int8Array, dimensions: number): Int8Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, at) =>
    vectors.subarray(at * dimensions, (at + 1) * dimensions),
  )
}
