import { gatherChunks } from './cut-document.ts'
import { ENDS_A_CHUNK, sharedDigester } from './document-digester.ts'
import { joinVectors, NUMBERS_A_CHUNK, openRows, packRows } from './document-rows.ts'
import type { Connection } from './embedded-schema.ts'
import type { DocumentRows, Embedder, KnowledgeDocument } from './knowledge.ts'
import { packAbout } from './vectors-row.ts'
import { openWordTotals } from './word-totals.ts'

/** Takes documents in and out of an index, each change whole or not at all. */
export interface IndexWriter {
  findEmbedder(): string | undefined
  replaceDocuments(
    embedder: Pick<Embedder, 'id' | 'dimensions'>,
    documents: readonly KnowledgeDocument[],
  ): void
  removeDocuments(paths: readonly string[]): void
  listDocuments(): Map<string, string>
  clear(): void
}

export function openIndexWriter(connection: Connection): IndexWriter {
  const statements = prepare(connection)
  const totals = openWordTotals(connection)
  let next_chunk = 0
  const remove = (path: string) => {
    const document = statements.findDocument.get(path) as KnownDocument | undefined
    if (!document) return
    const { id, first_chunk, chunk_count } = document
    for (let chunk_id = first_chunk; chunk_id < first_chunk + chunk_count; chunk_id++) {
      totals.noteRemoval(chunk_id)
      statements.removeWords.run(chunk_id)
    }
    statements.removeVectors.run(first_chunk)
    statements.removeChunks.run(first_chunk, first_chunk + chunk_count)
    statements.removeDocument.run(id)
  }
  const add = (document: KnowledgeDocument) => {
    const { path, sha256 } = document
    remove(path)
    const rows = rowsOf(document)
    const { count, vectors, ends } = rows
    const document_id = statements.addDocument.run(path, sha256, next_chunk, count).lastInsertRowid
    if (count === 0) return
    const about = packAbout(rows, (chunk) => ends[chunk * ENDS_A_CHUNK + ENDS_A_CHUNK] as number)
    statements.addVectors.run(next_chunk, document_id, about, vectors)
    addChunks(statements, document_id, next_chunk, rows)
    next_chunk += count
  }
  return {
    findEmbedder: () => statements.findFact.get('embedder') as string | undefined,
    replaceDocuments: connection.transaction((embedder, documents) => {
      totals.begin()
      next_chunk = 1 + Number(statements.findLastChunk.get() ?? 0)
      statements.setFact.run('embedder', embedder.id)
      for (const document of documents) add(document)
      totals.settle()
    }),
    removeDocuments: connection.transaction((paths: readonly string[]) => {
      totals.begin()
      for (const path of paths) remove(path)
      totals.settle()
    }),
    listDocuments: () => new Map(statements.listDocuments.raw().all() as [string, string][]),
    clear: connection.transaction(() => connection.exec(CLEAR)),
  }
}

interface KnownDocument {
  readonly id: number
  readonly first_chunk: number
  readonly chunk_count: number
}

/** Adds the chunks of a document with their words. */
function addChunks(
  { addChunk, addWords }: ReturnType<typeof prepare>,
  document_id: number | bigint,
  first_chunk: number,
  { count, numbers, names, texts, words, ends }: DocumentRows,
): void {
  const path_words = words.subarray(0, ends[0])
  let [name_start, text_start, from] = [0, 0, ends[0] as number]
  for (let at = 0; at < count; at++) {
    const [part, place] = [1 + at * ENDS_A_CHUNK, at * NUMBERS_A_CHUNK]
    const take = (end: number) => words.subarray(from, (from = ends[part + end] as number))
    const [body_words, name_words, owner_words, counts] = [take(0), take(1), take(2), take(3)]
    addChunk.run(
      first_chunk + at,
      document_id,
      numbers[place],
      numbers[place + 1],
      numbers[place + 2],
      names.subarray(name_start, (name_start = numbers[place + 3] as number)),
      counts,
      texts.subarray(text_start, (text_start = numbers[place + 4] as number)),
    )
    addWords.run(first_chunk + at, body_words, name_words, owner_words, path_words)
  }
}

function rowsOf(document: KnowledgeDocument): DocumentRows {
  if (document.rows?.has_words) return document.rows
  const { path, chunks, vectors } = document
  if (vectors.length !== chunks.length) throw new Error(`${path} has not one vector for each chunk.`)
  const cut = gatherChunks(path, chunks)
  const { words } = sharedDigester().digest(cut, { words: true, vectors: false })
  return openRows(packRows(cut, joinVectors(vectors), words))
}

const CLEAR = `
DELETE FROM facts; DELETE FROM documents; DELETE FROM chunks; DELETE FROM vectors;
INSERT INTO words (words) VALUES ('delete-all');`

function prepare(connection: Connection) {
  return {
    findFact: connection.prepare('SELECT value FROM facts WHERE name = ?').pluck(),
    setFact: connection.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)'),
    listDocuments: connection.prepare('SELECT path, sha256 FROM documents'),
    findDocument: connection.prepare('SELECT id, first_chunk, chunk_count FROM documents WHERE path = ?'),
    addDocument: connection.prepare(
      'INSERT INTO documents (path, sha256, first_chunk, chunk_count) VALUES (?, ?, ?, ?)',
    ),
    removeDocument: connection.prepare('DELETE FROM documents WHERE id = ?'),
    findLastChunk: connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").pluck(),
    addChunk: connection.prepare(
      `INSERT INTO chunks (id, document_id, kind, start_line, end_line, name, counts, text)
       VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?, CAST(? AS TEXT))`,
    ),
    removeChunks: connection.prepare('DELETE FROM chunks WHERE id >= ? AND id < ?'),
    addWords: connection.prepare('INSERT INTO words (rowid, body, name, owner, path) VALUES (?, ?, ?, ?, ?)'),
    removeWords: connection.prepare('DELETE FROM words WHERE rowid = ?'),
    addVectors: connection.prepare(
      'INSERT INTO vectors (first_chunk, document_id, about, vectors) VALUES (?, ?, ?, ?)',
    ),
    removeVectors: connection.prepare('DELETE FROM vectors WHERE first_chunk = ?'),
  }
}
