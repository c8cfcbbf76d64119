import { hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { readOrCreatePrivateFile } from '../../basics/private-file.ts'
import type { IndexJob } from '../index/index-job.ts'
import { indexPlaceOf } from '../index/index-place.ts'
import type { Embedder, KnowledgeStore } from '../knowledge.ts'
import { BackendUnavailable } from '../loopback-http.ts'
import { openOllamaEmbedder } from '../vectors/ollama-embedder.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'
import { BUILTIN_BACKENDS } from './backend-settings.ts'
import { openEmbeddedStore } from './embedded/embedded-store.ts'

type Chosen = Pick<IndexJob, 'project_root' | 'backends'>

/** The embedder that a project's index is made with. */
export function openEmbedderFor({ backends = BUILTIN_BACKENDS }: Chosen): Embedder {
  const { embedder } = backends
  return embedder.kind === 'ollama' ? openOllamaEmbedder(embedder) : openStaticEmbedder()
}

/** The store that a project's index is kept in; the file is the project's own. */
export async function openStoreFor(chosen: Chosen, file: string): Promise<KnowledgeStore> {
  const { store, database_url } = chosen.backends ?? BUILTIN_BACKENDS
  if (store.kind === 'builtin') return openEmbeddedStore(file)
  const space = spaceOf(chosen.project_root)
  if (store.kind === 'chroma') {
    const { openChromaStore } = await import('./chroma-store.ts')
    return openChromaStore({ url: store.url, space })
  }
  if (database_url === undefined)
    throw new BackendUnavailable('knowledge.store.kind', "is the hub's PostgreSQL, and this hub has none")
  const { openPostgres } = await import('../../storage/postgres/postgres.ts')
  const { openPostgresStore } = await import('./postgres-store.ts')
  const db = await openPostgres(database_url)
  return openPostgresStore(db, space, { closes: true }).catch(async (error) => {
    await db.close()
    throw error
  })
}

/** Whether a file holds an index of the built-in store. */
export function hasEmbeddedIndex(file: string): boolean {
  if (!existsSync(file)) return false
  const connection = new BetterSqlite(file, { readonly: true })
  try {
    return connection.pragma('application_id', { simple: true }) !== 0
  } finally {
    connection.close()
  }
}

/**
 * What a project's index is called on a server: by a mark of its own, for two machines may have different projects
 * in folders of the same name, and by its folder, for a copy of a project has the mark too.
 */
function spaceOf(project_root: string): string {
  const path = join(indexPlaceOf(project_root).folder, 'rag_space')
  const mark = readOrCreatePrivateFile(path, () => randomBytes(16).toString('hex'))
  return hash('sha256', `${mark}\0${project_root}`).slice(0, 40)
}
