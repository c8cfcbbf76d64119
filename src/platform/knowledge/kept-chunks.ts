import { type ChunksRow, isSoundChunks, type KeptChunk, readChunk } from './chunks-row.ts'
import { IndexDamaged } from './damaged-index.ts'
import type { Connection } from './embedded-schema.ts'

interface KeptDocument extends ChunksRow {
  readonly path: string
  readonly first_chunk: number
  readonly chunk_count: number
}

/** Finds a chunk by its document and its own number. */
export type FindChunk = (
  document_id: number,
  chunk_id: number,
) => (KeptChunk & { readonly path: string }) | undefined

/** Reads chunks out of an open index; what it gives out is for one question, which reads each document only once. */
export function openKeptChunks(connection: Connection): () => FindChunk {
  const findDocument = connection.prepare(
    `SELECT d.path, d.first_chunk, d.chunk_count, c.places, c.names, c.counts, c.texts
     FROM documents d JOIN chunks c ON c.document_id = d.id WHERE d.id = ?`,
  )
  const readDocument = (id: number): KeptDocument | undefined => {
    const row = findDocument.get(id) as KeptDocument | undefined
    const isSound = !row || (typeof row.path === 'string' && isSoundChunks(row, row.chunk_count))
    if (!isSound) throw new IndexDamaged(connection.name, 'a row of it is none')
    return row
  }
  return () => {
    const documents = new Map<number, KeptDocument | undefined>()
    return (document_id, chunk_id) => {
      if (!documents.has(document_id)) documents.set(document_id, readDocument(document_id))
      const document = documents.get(document_id)
      const chunk = document && readChunk(document, chunk_id - document.first_chunk)
      return chunk && { ...chunk, path: document.path }
    }
  }
}
