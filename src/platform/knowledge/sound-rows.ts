import type { Connection } from './embedded-schema.ts'
import { KNOWLEDGE_KINDS } from './knowledge.ts'
import { VECTOR_MAX_BYTES } from './vectors-row.ts'

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

const KINDS = KNOWLEDGE_KINDS.map((_, kind) => kind.toString(16).padStart(2, '0')).join('')
const UNSOUND = [
  `SELECT 1 FROM documents d WHERE typeof(path) <> 'text' OR typeof(sha256) <> 'text'
     OR typeof(first_chunk) <> 'integer' OR typeof(chunk_count) <> 'integer' OR chunk_count < 0
     OR chunk_count <> (SELECT count(*) FROM chunks c WHERE c.document_id = d.id
       AND c.id >= d.first_chunk AND c.id < d.first_chunk + d.chunk_count)
     OR chunk_count <> ifnull((SELECT length(v.about) / 4 FROM vectors v
       WHERE v.first_chunk = d.first_chunk AND v.document_id = d.id), 0)`,
  `SELECT 1 FROM chunks c WHERE typeof(name) <> 'text' OR typeof(text) <> 'text' OR typeof(counts) <> 'blob'
     OR typeof(start_line) <> 'integer' OR typeof(end_line) <> 'integer' OR start_line < 1 OR end_line < start_line
     OR typeof(kind) <> 'integer' OR kind NOT BETWEEN 0 AND ${KNOWLEDGE_KINDS.length - 1}
     OR NOT EXISTS (SELECT 1 FROM documents d JOIN vectors v ON v.first_chunk = d.first_chunk
       WHERE d.id = c.document_id AND c.id >= d.first_chunk AND c.id < d.first_chunk + d.chunk_count
       AND substr(v.about, 1 + 4 * (c.id - d.first_chunk), 1) = substr(x'${KINDS}', 1 + c.kind, 1))`,
  `SELECT 1 FROM vectors v WHERE typeof(about) <> 'blob' OR typeof(vectors) <> 'blob'
     OR length(about) < 4 OR length(about) % 4 <> 0
     OR length(vectors) * 4 NOT BETWEEN length(about) AND length(about) * ${VECTOR_MAX_BYTES}
     OR length(vectors) * (SELECT length(about) FROM vectors LIMIT 1)
       <> length(about) * (SELECT length(vectors) FROM vectors LIMIT 1)
     OR length(vectors) % (length(about) / 4) <> 0
     OR NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = v.document_id AND d.first_chunk = v.first_chunk)`,
]

/** Whether every row of an index is one that an indexer could have written. */
export function hasSoundRows(connection: Connection): boolean {
  return UNSOUND.every((sql) => connection.prepare(`${sql} LIMIT 1`).get() === undefined)
}
