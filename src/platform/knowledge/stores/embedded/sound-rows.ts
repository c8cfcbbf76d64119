import { KNOWLEDGE_KINDS } from '../../knowledge.ts'
import { type Connection, LAST_CHUNK, VECTOR_MAX_BYTES } from './embedded-schema.ts'

/** What no row that an indexer wrote can be; SQLite takes any value in any column. */
const UNSOUND = [
  `SELECT 1 FROM sqlite_sequence
   WHERE typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}`,
  `SELECT 1 FROM facts WHERE name = '${LAST_CHUNK}'
     AND (typeof(value) <> 'text' OR CAST(CAST(value AS INTEGER) AS TEXT) <> value
       OR CAST(value AS INTEGER) NOT BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER})`,
  `SELECT 1 FROM documents WHERE typeof(path) <> 'text' OR typeof(sha256) <> 'text' OR id < 1
     OR id > (SELECT max(seq) FROM sqlite_sequence WHERE name = 'documents')
     OR chunk_count IS NOT (SELECT count(*) FROM chunks WHERE document_id = documents.id)`,
  `SELECT 1 FROM chunks WHERE id < 1 OR id > ifnull((SELECT CAST(value AS INTEGER) FROM facts
       WHERE name = '${LAST_CHUNK}'), 0)
     OR typeof(kind) <> 'integer' OR kind NOT BETWEEN 0 AND ${KNOWLEDGE_KINDS.length - 1}
     OR typeof(length) <> 'integer' OR length < 0
     OR typeof(vector) <> 'blob' OR length(vector) NOT BETWEEN 1 AND ${VECTOR_MAX_BYTES}
     OR length(vector) <> (SELECT length(vector) FROM chunks LIMIT 1)
     OR typeof(name) <> 'text' OR typeof(text) <> 'text'
     OR typeof(start_line) <> 'integer' OR start_line < 1
     OR typeof(end_line) <> 'integer' OR end_line < start_line
     OR typeof(counts) <> 'blob' OR length(counts) % 4 <> 0
     OR NOT EXISTS (SELECT 1 FROM documents WHERE documents.id = document_id)`,
]

/** Whether every row of an index is one that an indexer could have written. */
export function hasSoundRows(connection: Connection): boolean {
  return UNSOUND.every((sql) => connection.prepare(`${sql} LIMIT 1`).get() === undefined)
}
