import type { KnowledgeStore } from '../../knowledge.ts'
import { blameFile } from './damaged-index.ts'
import { connectIndex } from './embedded-schema.ts'
import { openEmbeddedWriter } from './embedded-writer.ts'
import { openHeldVectors } from './held-vectors.ts'
import { openIndexSearch } from './search-index.ts'

/** Opens the index in a file, made where there is none; `IndexDamaged` says that it has to be made anew. */
export function openEmbeddedStore(file: string): KnowledgeStore {
  const { connection, held, writer, search } = openParts(file)
  const write = async (act: () => void) => {
    held.markStale()
    blameFile(file, act)
  }
  return {
    get embedder_id() {
      return blameFile(file, () => writer.findEmbedder())
    },
    replaceDocuments: (embedder, documents) => write(() => writer.replaceDocuments(embedder, documents)),
    removeDocuments: (paths) => write(() => writer.removeDocuments(paths)),
    clear: () => write(() => writer.clear()),
    listDocuments: async () => blameFile(file, () => writer.listDocuments()),
    async search(query, embedder, scope, limit) {
      const vector = await embedder.embedQuery(query)
      return blameFile(file, () => search({ query, vector, scope, limit }))
    },
    close: async () => void connection.close(),
  }
}

/** A file that is not what it should be shows when statements are prepared; then it is not kept open. */
function openParts(file: string) {
  const connection = connectIndex(file)
  try {
    return blameFile(file, () => {
      const held = openHeldVectors(connection)
      const search = openIndexSearch(connection, held)
      return { connection, held, writer: openEmbeddedWriter(connection), search }
    })
  } catch (error) {
    connection.close()
    throw error
  }
}
