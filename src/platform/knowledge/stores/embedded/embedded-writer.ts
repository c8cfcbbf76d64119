import { type Chunk, type Embedder, KNOWLEDGE_KINDS, type KnowledgeDocument } from '../../knowledge.ts'
import { type ChunkTerms, packCounts, readTerms, stemsIn } from '../../words/chunk-terms.ts'
import { type Connection, LAST_CHUNK } from './embedded-schema.ts'

/** Takes documents in and out of an index, each change whole or not at all. */
export interface EmbeddedWriter {
  findEmbedder(): string | undefined
  replaceDocuments(
    embedder: Pick<Embedder, 'id' | 'dimensions'>,
    documents: readonly KnowledgeDocument[],
  ): void
  removeDocuments(paths: readonly string[]): void
  listDocuments(): Map<string, string>
  clear(): void
}

/** A chunk as it is read to be taken out. */
interface StoredChunk extends Pick<Chunk, 'name' | 'text'> {
  readonly id: number
  readonly kind: number
}

const CLEAR = `
DELETE FROM facts WHERE name <> '${LAST_CHUNK}'; DELETE FROM documents; DELETE FROM chunks;
INSERT INTO words (words) VALUES ('delete-all');`

/** Opens a writer on an open index. */
export function openEmbeddedWriter(connection: Connection): EmbeddedWriter {
  const statements = prepare(connection)
  let last_chunk = 0
  const remove = (path: string) => {
    const id = statements.findDocument.get(path) as number | undefined
    if (id === undefined) return
    const rows = statements.listChunks.all(id) as StoredChunk[]
    const terms = readTerms(path, rows.map(toChunk))
    for (const [at, row] of rows.entries())
      statements.removeWords.run(row.id, ...columnsOf(terms[at] as ChunkTerms))
    statements.removeChunks.run(id)
    statements.removeDocument.run(id)
  }
  const add = ({ path, sha256, chunks, vectors }: KnowledgeDocument) => {
    const document_id = statements.addDocument.run(path, sha256, chunks.length).lastInsertRowid
    const terms = readTerms(path, chunks)
    for (const [at, { kind, name, start_line, end_line, text }] of chunks.entries()) {
      const own = terms[at] as ChunkTerms
      statements.addChunk.run(
        ++last_chunk,
        document_id,
        KNOWLEDGE_KINDS.indexOf(kind),
        own.body.length,
        vectors[at],
        name,
        start_line,
        end_line,
        packCounts(own),
        text,
      )
      statements.addWords.run(last_chunk, ...columnsOf(own))
    }
  }
  return {
    findEmbedder: () => statements.findFact.get('embedder') as string | undefined,
    replaceDocuments: connection.transaction(
      (embedder: Pick<Embedder, 'id'>, documents: readonly KnowledgeDocument[]) => {
        documents.forEach(checkVectors)
        last_chunk = Number(statements.findFact.get(LAST_CHUNK) ?? 0)
        statements.setFact.run('embedder', embedder.id)
        for (const document of documents) {
          remove(document.path)
          add(document)
        }
        statements.setFact.run(LAST_CHUNK, String(last_chunk))
      },
    ),
    removeDocuments: connection.transaction((paths: readonly string[]) => paths.forEach(remove)),
    listDocuments: () => new Map(statements.listDocuments.raw().all() as [string, string][]),
    clear: connection.transaction(() => connection.exec(CLEAR)),
  }
}

function checkVectors({ path, chunks, vectors }: KnowledgeDocument): void {
  if (vectors.length !== chunks.length) throw new Error(`${path} has not one vector for each chunk.`)
}

function toChunk({ kind, name, text }: StoredChunk): Chunk {
  return { kind: KNOWLEDGE_KINDS[kind] ?? 'code', name, text, start_line: 1, end_line: 1 }
}

/** The columns of `words`. */
function columnsOf(terms: ChunkTerms): string[] {
  return [terms.body, terms.name, terms.owner, terms.path].map((field) => stemsIn(terms, field).join(' '))
}

function prepare(connection: Connection) {
  return {
    findFact: connection.prepare('SELECT value FROM facts WHERE name = ?').pluck(),
    setFact: connection.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)'),
    listDocuments: connection.prepare('SELECT path, sha256 FROM documents'),
    findDocument: connection.prepare('SELECT id FROM documents WHERE path = ?').pluck(),
    addDocument: connection.prepare('INSERT INTO documents (path, sha256, chunk_count) VALUES (?, ?, ?)'),
    removeDocument: connection.prepare('DELETE FROM documents WHERE id = ?'),
    listChunks: connection.prepare(
      'SELECT id, kind, name, text FROM chunks WHERE document_id = ? ORDER BY id',
    ),
    addChunk: connection.prepare(
      `INSERT INTO chunks (id, document_id, kind, length, vector, name, start_line, end_line, counts, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    removeChunks: connection.prepare('DELETE FROM chunks WHERE document_id = ?'),
    addWords: connection.prepare('INSERT INTO words (rowid, body, name, owner, path) VALUES (?, ?, ?, ?, ?)'),
    removeWords: connection.prepare(
      "INSERT INTO words (words, rowid, body, name, owner, path) VALUES ('delete', ?, ?, ?, ?, ?)",
    ),
  }
}
