import { type Database, sql, type Transaction } from '../../storage/database.ts'
import type { Embedder, KnowledgeDocument, KnowledgeStore } from '../knowledge.ts'
import { type ChunkTerms, packCounts, readTerms } from '../words/chunk-terms.ts'
import { renderTextVector } from './postgres-words.ts'
import { openPostgresSearch } from './search-postgres.ts'

const findSpace = sql<{ embedder: string | null }>('SELECT embedder FROM knowledge_spaces WHERE space = ?')
const listPaths = sql<{ path: string; sha256: string }>(
  'SELECT path, sha256 FROM knowledge_documents WHERE space = ?',
)

/** Opens one of the indexes in a hub's PostgreSQL. The database stays its opener's, unless it is given along. */
export async function openPostgresStore(
  db: Database,
  space: string,
  { closes = false }: { closes?: boolean } = {},
): Promise<KnowledgeStore> {
  const search = openPostgresSearch(db, space)
  let embedder_id = (await db.get(findSpace, space))?.embedder ?? undefined
  return {
    get embedder_id() {
      return embedder_id
    },
    async replaceDocuments(embedder, documents) {
      await db.transaction((tx) => putDocuments(tx, space, embedder, documents))
      embedder_id = embedder.id
    },
    removeDocuments: (paths) => db.transaction((tx) => takeDocuments(tx, space, paths)),
    async listDocuments() {
      return new Map((await db.all(listPaths, space)).map(({ path, sha256 }) => [path, sha256]))
    },
    async search(query, embedder, scope, limit) {
      return search({ query, vector: await embedder.embedQuery(query), scope, limit })
    },
    async clear() {
      await db.transaction((tx) => clearSpace(tx, space))
      embedder_id = undefined
    },
    close: async () => {
      if (closes) await db.close()
    },
  }
}

/** Rows that one statement takes. */
const ROWS = 100
const PATHS = 1_000
/** PostgreSQL has no room for a longer one in the index over paths: such a document cannot be kept. */
const PATH_MAX_BYTES = 2_400

const touchSpace = sql(
  `INSERT INTO knowledge_spaces (space, embedder, revision) VALUES (?, ?, 1)
   ON CONFLICT (space) DO UPDATE SET
     embedder = COALESCE(excluded.embedder, knowledge_spaces.embedder), revision = knowledge_spaces.revision + 1`,
)
const addDocuments = sql(
  `INSERT INTO knowledge_documents (space, path, sha256)
   SELECT ?, d.path, d.sha256 FROM json_to_recordset(?::json) AS d (path TEXT, sha256 TEXT)`,
)
const addChunks = sql(
  `INSERT INTO knowledge_chunks
     (space, path, place, kind, name, start_line, end_line, length, counts, vector, words, text)
   SELECT ?, c.path, c.place, c.kind, c.name, c.start_line, c.end_line, c.length, decode(c.counts, 'base64'),
     decode(c.vector, 'base64'), c.words::tsvector, c.text
   FROM json_to_recordset(?::json) AS c (path TEXT, place BIGINT, kind TEXT, name TEXT, start_line BIGINT,
     end_line BIGINT, length BIGINT, counts TEXT, vector TEXT, words TEXT, text TEXT)`,
)
const PATHS_GIVEN = 'space = ? AND path IN (SELECT json_array_elements_text(?::json) COLLATE "C")'
const removeDocuments = sql(`DELETE FROM knowledge_documents WHERE ${PATHS_GIVEN}`)
const removeChunks = sql(`DELETE FROM knowledge_chunks WHERE ${PATHS_GIVEN}`)
const eraseDocuments = sql('DELETE FROM knowledge_documents WHERE space = ? AND starts_with(path, ?)')
const eraseChunks = sql('DELETE FROM knowledge_chunks WHERE space = ? AND starts_with(path, ?)')
// The revision goes on: who has counted before has to count again.
const forgetEmbedder = sql('UPDATE knowledge_spaces SET embedder = NULL WHERE space = ?')

/** Puts documents into a space, each in the place of the former one of its path. */
export async function putDocuments(
  tx: Transaction,
  space: string,
  embedder: Pick<Embedder, 'id'>,
  given: readonly KnowledgeDocument[],
): Promise<void> {
  const documents = given.filter(({ path }) => Buffer.byteLength(path) <= PATH_MAX_BYTES)
  const rows = documents.flatMap(rowsOf)
  await tx.run(touchSpace, space, embedder.id)
  await takeOut(
    tx,
    space,
    documents.map(({ path }) => path),
  )
  const listed = documents.map(({ path, sha256 }) => ({ path, sha256 }))
  for (const some of slices(listed, PATHS)) await tx.run(addDocuments, space, toJson(some))
  for (const some of slices(rows, ROWS)) await tx.run(addChunks, space, toJson(some))
}

/** Takes documents out of a space. */
export async function takeDocuments(tx: Transaction, space: string, paths: readonly string[]): Promise<void> {
  await tx.run(touchSpace, space, null)
  await takeOut(tx, space, paths)
}

async function takeOut(tx: Transaction, space: string, paths: readonly string[]): Promise<void> {
  for (const some of slices(paths, PATHS)) {
    await tx.run(removeDocuments, space, toJson(some))
    await tx.run(removeChunks, space, toJson(some))
  }
}

/** Takes out of a space all documents whose paths begin so. */
export async function eraseDocumentsAt(tx: Transaction, space: string, prefix: string): Promise<void> {
  await tx.run(touchSpace, space, null)
  await tx.run(eraseDocuments, space, prefix)
  await tx.run(eraseChunks, space, prefix)
}

/** Empties a space. */
export async function clearSpace(tx: Transaction, space: string): Promise<void> {
  await eraseDocumentsAt(tx, space, '')
  await tx.run(forgetEmbedder, space)
}

function rowsOf({ path, chunks, vectors }: KnowledgeDocument) {
  if (vectors.length !== chunks.length) throw new Error(`${path} has not one vector for each chunk.`)
  const terms = readTerms(path, chunks)
  return chunks.map((chunk, place) => {
    const found = terms[place] as ChunkTerms
    return {
      ...chunk,
      path,
      place,
      length: found.body.length,
      counts: toBase64(packCounts(found)),
      vector: toBase64(vectors[place] as Int8Array),
      words: renderTextVector(found),
    }
  })
}

function toBase64({ buffer, byteOffset, byteLength }: Int8Array | Uint8Array): string {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64')
}

/** PostgreSQL keeps no NUL in a text. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'string' ? one.toWellFormed().replaceAll('\0', ' ') : one,
  )
}

function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
