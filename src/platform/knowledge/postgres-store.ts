import { type Database, sql } from '../storage/database.ts'
import type { KnowledgeStore } from './knowledge.ts'
import { clearSpace, putDocuments, takeDocuments } from './postgres-documents.ts'
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
