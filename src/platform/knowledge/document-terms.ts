import { splitName } from './chunk-terms.ts'
import type { Chunk } from './knowledge.ts'
import { beginTermIds, emptyTermIds, readTermIds } from './term-ids.ts'

/** The terms of a document by their numbers: of its path, then of each chunk its text, name and owner. */
export interface DocumentTerms {
  /** What was kept for numbers of another round does not count. */
  readonly round: number
  readonly ids: Int32Array
  readonly path_end: number
  /** Three for each chunk: where its text, its name and what leads to the name end. */
  readonly ends: Int32Array
}

const list = emptyTermIds()
let last: { path: string; chunks: readonly Chunk[]; terms: DocumentTerms } | undefined

/**
 * Reads the terms of a document. What was read last is kept, for its vectors and its words are made of the same
 * terms; it is good until another document is read.
 */
export function readDocumentTerms(path: string, chunks: readonly Chunk[]): DocumentTerms {
  if (last?.chunks === chunks && last.path === path) return last.terms
  const round = beginTermIds()
  list.length = 0
  readTermIds(path, list)
  const path_end = list.length
  const ends = new Int32Array(chunks.length * 3)
  let at = 0
  for (const chunk of chunks) {
    const [name, owner] = splitName(chunk)
    readTermIds(chunk.text, list)
    ends[at++] = list.length
    readTermIds(name, list)
    ends[at++] = list.length
    readTermIds(owner, list)
    ends[at++] = list.length
  }
  const terms = { round, ids: list.items, path_end, ends }
  last = { path, chunks, terms }
  return terms
}
