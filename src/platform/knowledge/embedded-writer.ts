import { ENDS_A_CHUNK, sharedDigester } from './document-digester.ts'
import { NUMBERS_A_CHUNK, openRows, packRows } from './document-rows.ts'
import type { Connection } from './embedded-schema.ts'
import type { DocumentRows, Embedder, KnowledgeDocument } from './knowledge.ts'
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
  const remove = (path: string) => {
    const document = statements.findDocument.get(path) as { id: number } | undefined
    if (!document) return
    for (const chunk_id of statements.listChunks.all(document.id) as number[]) {
      totals.noteRemoval(chunk_id)
      statements.removeWords.run(chunk_id)
      statements.removeVector.run(chunk_id)
    }
    statements.removeChunks.run(document.id)
    statements.removeDocument.run(document.id)
  }
  const add = (document: KnowledgeDocument) => {
    const { path, sha256 } = document
    remove(path)
    const document_id = statements.addDocument.run(path, sha256).lastInsertRowid
    const { count, numbers, names, texts, vectors, words, ends } = rowsOf(document)
    const path_words = words.subarray(0, ends[0])
    const dimensions = vectors.length / Math.max(1, count)
    let [name_start, text_start, from] = [0, 0, ends[0] as number]
    for (let at = 0; at < count; at++) {
      const [part, place] = [1 + at * ENDS_A_CHUNK, at * NUMBERS_A_CHUNK]
      const take = (end: number) => words.subarray(from, (from = ends[part + end] as number))
      const [body_words, name_words, owner_words, counts] = [take(0), take(1), take(2), take(3)]
      const kind = numbers[place] as number
      const id = statements.addChunk.run(
        document_id,
        kind,
        numbers[place + 1],
        numbers[place + 2],
        names.subarray(name_start, (name_start = numbers[place + 3] as number)),
        counts,
        texts.subarray(text_start, (text_start = numbers[place + 4] as number)),
      ).lastInsertRowid
      statements.addWords.run(id, body_words, name_words, owner_words, path_words)
      const vector = vectors.subarray(at * dimensions, (at + 1) * dimensions)
      statements.addVector.run(id, document_id, kind, ends[part + 4], vector)
    }
  }
  return {
    findEmbedder: () => statements.findFact.get('embedder') as string | undefined,
    replaceDocuments: connection.transaction((embedder, documents) => {
      totals.begin()
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

function rowsOf(document: KnowledgeDocument): DocumentRows {
  if (document.rows?.has_words) return document.rows
  const { path, chunks, vectors } = document
  if (vectors.length !== chunks.length) throw new Error(`${path} has not one vector for each chunk.`)
  return openRows(packRows(chunks, vectors, sharedDigester().renderWords(path, chunks)))
}

const CLEAR = `
DELETE FROM facts; DELETE FROM documents; DELETE FROM chunks; DELETE FROM vectors;
INSERT INTO words (words) VALUES ('delete-all');`

function prepare(connection: Connection) {
  return {
    findFact: connection.prepare('SELECT value FROM facts WHERE name = ?').pluck(),
    setFact: connection.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)'),
    listDocuments: connection.prepare('SELECT path, sha256 FROM documents'),
    findDocument: connection.prepare('SELECT id FROM documents WHERE path = ?'),
    addDocument: connection.prepare('INSERT INTO documents (path, sha256) VALUES (?, ?)'),
    removeDocument: connection.prepare('DELETE FROM documents WHERE id = ?'),
    listChunks: connection.prepare('SELECT id FROM chunks WHERE document_id = ?').pluck(),
    addChunk: connection.prepare(
      `INSERT INTO chunks (document_id, kind, start_line, end_line, name, counts, text)
       VALUES (?, ?, ?, ?, CAST(? AS TEXT), ?, CAST(? AS TEXT))`,
    ),
    removeChunks: connection.prepare('DELETE FROM chunks WHERE document_id = ?'),
    addWords: connection.prepare('INSERT INTO words (rowid, body, name, owner, path) VALUES (?, ?, ?, ?, ?)'),
    removeWords: connection.prepare('DELETE FROM words WHERE rowid = ?'),
    addVector: connection.prepare(
      'INSERT INTO vectors (chunk_id, document_id, kind, length, vector) VALUES (?, ?, ?, ?, ?)',
    ),
    removeVector: connection.prepare('DELETE FROM vectors WHERE chunk_id = ?'),
  }
}
