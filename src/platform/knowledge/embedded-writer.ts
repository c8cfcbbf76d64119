import { gatherChunks } from './cut-document.ts'
import { ENDS_A_CHUNK, sharedDigester } from './document-digester.ts'
import { joinVectors, openRows, packRows } from './document-rows.ts'
import type { Connection } from './embedded-schema.ts'
import type { DocumentRows, Embedder, KnowledgeDocument } from './knowledge.ts'
import { packAbout } from './vectors-row.ts'
import { openWordTotals } from './word-totals.ts'
import { type NewDocument, openWordsWriter } from './words-writer.ts'

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
  const words = openWordsWriter(connection, totals)
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
    statements.removeChunks.run(id)
    statements.removeDocument.run(id)
  }
  /** Most documents are new: only where one of the path is in does it have to be looked for. */
  const addDocument = (path: string, sha256: string, count: number) => {
    const added = statements.addDocument.run(path, sha256, next_chunk, count)
    if (added.changes > 0) return added.lastInsertRowid
    remove(path)
    return statements.addDocument.run(path, sha256, next_chunk, count).lastInsertRowid
  }
  const add = ({ path, sha256, rows }: NewDocument) => {
    const { count, vectors, ends, places, names, counts, texts } = rows
    const document_id = addDocument(path, sha256, count)
    if (count === 0) return
    const about = packAbout(rows, (chunk) => ends[chunk * ENDS_A_CHUNK + ENDS_A_CHUNK] as number)
    statements.addVectors.run(next_chunk, document_id, about, vectors)
    statements.addChunks.run(document_id, places, names, counts, texts)
    words.add(next_chunk, rows)
    next_chunk += count
  }
  return {
    findEmbedder: () => statements.findFact.get('embedder') as string | undefined,
    replaceDocuments: connection.transaction(
      (embedder: Pick<Embedder, 'id'>, documents: readonly KnowledgeDocument[]) => {
        totals.begin()
        const all = documents.map(toNew)
        next_chunk = 1 + Number(statements.findFact.get(LAST_CHUNK) ?? 0)
        statements.setFact.run('embedder', embedder.id)
        words.begin(all)
        for (const document of all) add(document)
        words.finish()
        statements.setFact.run(LAST_CHUNK, String(next_chunk - 1))
        totals.settle()
      },
    ),
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

function toNew(document: KnowledgeDocument): NewDocument {
  return { path: document.path, sha256: document.sha256, rows: rowsOf(document) }
}

function rowsOf(document: KnowledgeDocument): DocumentRows {
  if (document.rows?.has_words) return document.rows
  const { path, chunks, vectors } = document
  if (vectors.length !== chunks.length) throw new Error(`${path} has not one vector for each chunk.`)
  const cut = gatherChunks(path, chunks)
  const { words } = sharedDigester().digest(cut, { words: true, vectors: false })
  return openRows(packRows(cut, joinVectors(vectors), words))
}

/** The fact that keeps the last number a chunk has had, so that none is used again, whatever is taken out. */
const LAST_CHUNK = 'last_chunk'
const CLEAR = `
DELETE FROM facts WHERE name <> '${LAST_CHUNK}'; DELETE FROM documents; DELETE FROM chunks; DELETE FROM vectors;
INSERT INTO words (words) VALUES ('delete-all');`

function prepare(connection: Connection) {
  return {
    findFact: connection.prepare('SELECT value FROM facts WHERE name = ?').pluck(),
    setFact: connection.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)'),
    listDocuments: connection.prepare('SELECT path, sha256 FROM documents'),
    findDocument: connection.prepare('SELECT id, first_chunk, chunk_count FROM documents WHERE path = ?'),
    addDocument: connection.prepare(
      'INSERT INTO documents (path, sha256, first_chunk, chunk_count) VALUES (?, ?, ?, ?) ON CONFLICT (path) DO NOTHING',
    ),
    removeDocument: connection.prepare('DELETE FROM documents WHERE id = ?'),
    addChunks: connection.prepare(
      'INSERT INTO chunks (document_id, places, names, counts, texts) VALUES (?, ?, ?, ?, ?)',
    ),
    removeChunks: connection.prepare('DELETE FROM chunks WHERE document_id = ?'),
    removeWords: connection.prepare('DELETE FROM words WHERE rowid = ?'),
    addVectors: connection.prepare(
      'INSERT INTO vectors (first_chunk, document_id, about, vectors) VALUES (?, ?, ?, ?)',
    ),
    removeVectors: connection.prepare('DELETE FROM vectors WHERE first_chunk = ?'),
  }
}
