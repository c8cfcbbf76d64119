import { kindIn } from './chunk-places.ts'
import { type ChunksRow, isSoundChunks } from './chunks-row.ts'
import type { Connection } from './embedded-schema.ts'
import { kindAbout, VECTOR_MAX_BYTES } from './vectors-row.ts'

const UNSOUND = [
  `SELECT 1 FROM facts WHERE name = 'last_chunk'
     AND (typeof(value) <> 'text' OR CAST(CAST(value AS INTEGER) AS TEXT) <> value
       OR CAST(value AS INTEGER) NOT BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER})`,
  `SELECT 1 FROM documents d WHERE typeof(path) <> 'text' OR typeof(sha256) <> 'text'
     OR typeof(first_chunk) <> 'integer' OR typeof(chunk_count) <> 'integer' OR chunk_count < 0
     OR first_chunk < 1 OR first_chunk + chunk_count - 1 > ifnull((SELECT CAST(value AS INTEGER) FROM facts
       WHERE name = 'last_chunk'), 0)
     OR chunk_count <> ifnull((SELECT length(v.about) / 4 FROM vectors v
       WHERE v.first_chunk = d.first_chunk AND v.document_id = d.id), 0)
     OR (chunk_count > 0) <> EXISTS (SELECT 1 FROM chunks c WHERE c.document_id = d.id)`,
  `SELECT 1 FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = c.document_id)`,
  `SELECT 1 FROM vectors v WHERE typeof(about) <> 'blob' OR typeof(vectors) <> 'blob'
     OR length(about) < 4 OR length(about) % 4 <> 0
     OR length(vectors) * 4 NOT BETWEEN length(about) AND length(about) * ${VECTOR_MAX_BYTES}
     OR length(vectors) * (SELECT length(about) FROM vectors LIMIT 1)
       <> length(about) * (SELECT length(vectors) FROM vectors LIMIT 1)
     OR length(vectors) % (length(about) / 4) <> 0
     OR NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = v.document_id AND d.first_chunk = v.first_chunk)`,
]

interface Kept extends ChunksRow {
  readonly chunk_count: number
  readonly about: Uint8Array
}

const KEPT = `SELECT d.chunk_count, v.about, c.places, c.names, c.counts, c.texts
  FROM documents d JOIN chunks c ON c.document_id = d.id JOIN vectors v ON v.first_chunk = d.first_chunk`

/** Whether every row of an index is one that an indexer could have written. */
export function hasSoundRows(connection: Connection): boolean {
  if (UNSOUND.some((sql) => connection.prepare(`${sql} LIMIT 1`).get() !== undefined)) return false
  for (const row of connection.prepare<[], Kept>(KEPT).iterate()) if (!isSoundKept(row)) return false
  return true
}

function isSoundKept(row: Kept): boolean {
  if (!isSoundChunks(row, row.chunk_count)) return false
  for (let chunk = 0; chunk < row.chunk_count; chunk++)
    if (kindIn(row.places, chunk) !== kindAbout(row.about, chunk)) return false
  return true
}
