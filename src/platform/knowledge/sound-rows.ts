import type { Connection } from './embedded-schema.ts'
import { KNOWLEDGE_KINDS } from './knowledge.ts'

/** SQLite keeps whatever is given to it in any column; no embedder makes longer vectors. */
const VECTOR_MAX_BYTES = 8_192

/** Whether what stands for a vector is one. */
export function isSoundVector(vector: unknown): vector is Uint8Array {
  return vector instanceof Uint8Array && vector.length > 0 && vector.length <= VECTOR_MAX_BYTES
}

/** Whether a row can be a chunk of a document. */
export function isSoundChunk(row: Readonly<Record<string, unknown>>): boolean {
  const { path, name, text, start_line, end_line, counts } = row
  return (
    [path, name, text].every((value) => typeof value === 'string') &&
    Number.isInteger(start_line) &&
    Number.isInteger(end_line) &&
    counts instanceof Uint8Array
  )
}

const UNSOUND = [
  "SELECT 1 FROM documents WHERE typeof(path) <> 'text' OR typeof(sha256) <> 'text'",
  `SELECT 1 FROM chunks WHERE typeof(name) <> 'text' OR typeof(text) <> 'text' OR typeof(counts) <> 'blob'
     OR typeof(start_line) <> 'integer' OR typeof(end_line) <> 'integer' OR start_line < 1 OR end_line < start_line
     OR typeof(kind) <> 'integer' OR kind NOT BETWEEN 0 AND ${KNOWLEDGE_KINDS.length - 1}
     OR document_id NOT IN (SELECT id FROM documents) OR id NOT IN (SELECT chunk_id FROM vectors)`,
  `SELECT 1 FROM vectors WHERE typeof(vector) <> 'blob' OR length(vector) NOT BETWEEN 1 AND ${VECTOR_MAX_BYTES}
     OR typeof(length) <> 'integer' OR length < 0 OR typeof(kind) <> 'integer'
     OR length(vector) <> (SELECT length(vector) FROM vectors LIMIT 1)
     OR NOT EXISTS (SELECT 1 FROM chunks c WHERE c.id = chunk_id AND c.document_id = vectors.document_id
       AND c.kind = vectors.kind)`,
]

/** Whether every row of an index is one that an indexer could have written. */
export function hasSoundRows(connection: Connection): boolean {
  return UNSOUND.every((sql) => connection.prepare(`${sql} LIMIT 1`).get() === undefined)
}
