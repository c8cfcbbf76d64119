import { type Reader, sql } from '../../storage/database.ts'
import type { KnowledgeScope } from '../knowledge.ts'
import { findHighest, openVectorScan } from '../vectors/vector-scan.ts'

/** More are not held in memory: then only chunks with the words are candidates. */
const HELD_CHUNKS = 250_000
const PATHS_READ = 500
/** With a larger share of removed chunks everything is read anew. */
const DEAD_SHARE = 0.3

const findSpace = sql<{ embedder: string | null; revision: number }>(
  'SELECT embedder, revision FROM knowledge_spaces WHERE space = ?',
)
const countChunks = sql<{ chunks: number }>('SELECT COUNT(*) AS chunks FROM knowledge_chunks WHERE space = ?')
const listDocuments = sql<{ path: string; sha256: string }>(
  'SELECT path, sha256 FROM knowledge_documents WHERE space = ?',
)
const readVectors = sql<{ path: string; place: number; kind: string; vector: string }>(
  `SELECT path, place, kind, encode(vector, 'base64') AS vector FROM knowledge_chunks
   WHERE space = ? AND path IN (SELECT json_array_elements_text(?::json) COLLATE "C")`,
)

/** Where a chunk stands in its space. */
export interface ChunkPlace {
  readonly path: string
  readonly place: number
}

/** A document as it was read once: read again, be it the same, it is another. */
interface ReadDocument {
  readonly sha256: string
}

interface Slot extends ChunkPlace {
  readonly kind: string
  readonly document: ReadDocument
}

/** What is held of a space; the scan has the vector of each slot. */
interface Held {
  readonly embedder: string | null
  readonly scan: ReturnType<typeof openVectorScan>
  readonly slots: Slot[]
  /** The documents that are there now, each as it was last read. */
  documents: ReadonlyMap<string, ReadDocument>
  revision: number
}

/** Holds the vectors of a space in memory, and reads only those of documents that have changed. */
export function holdVectors(db: Reader, space: string) {
  let held: Held | undefined
  /** At which revision there were too many to hold, so that they are not counted for every question. */
  let overfull: number | undefined
  let reading: Promise<void> = Promise.resolve()

  async function refresh(): Promise<void> {
    const { embedder = null, revision = 0 } = (await db.get(findSpace, space)) ?? {}
    if (overfull === revision || (held?.revision === revision && held.embedder === embedder)) return
    const chunks = (await db.get(countChunks, space))?.chunks ?? 0
    overfull = chunks > HELD_CHUNKS ? revision : undefined
    if (overfull !== undefined) {
      held = undefined
      return
    }
    const isOld = held?.embedder !== embedder || held.slots.length * (1 - DEAD_SHARE) > chunks
    const now = held && !isOld ? held : emptyHeld(embedder)
    await readChanged(db, space, now)
    held = Object.assign(now, { revision })
  }

  /** The places of the chunks in the scope whose vectors are nearest, about so many. */
  return async (vector: Int8Array, scope: KnowledgeScope, wanted: number): Promise<ChunkPlace[]> => {
    // One after another: two that read at once would put the same chunk into two slots.
    reading = reading.catch(() => {}).then(refresh)
    await reading
    if (!held) return []
    const { slots, scan } = held
    const dots = scan.run(vector, slots.length)
    if (!dots) return []
    return findHighest(dots, slots.length, wanted, reachOf(held, scope)).map((at) => slots[at] as Slot)
  }
}

function emptyHeld(embedder: string | null): Held {
  return { embedder, scan: openVectorScan(), slots: [], documents: new Map(), revision: -1 }
}

async function readChanged(db: Reader, space: string, held: Held): Promise<void> {
  const documents = new Map<string, ReadDocument>()
  for (const { path, sha256 } of await db.all(listDocuments, space)) {
    const known = held.documents.get(path)
    documents.set(path, known?.sha256 === sha256 ? known : { sha256 })
  }
  const changed = [...documents.keys()].filter((path) => held.documents.get(path) !== documents.get(path))
  for (let at = 0; at < changed.length; at += PATHS_READ) {
    const paths = JSON.stringify(changed.slice(at, at + PATHS_READ))
    for (const { path, place, kind, vector } of await db.all(readVectors, space, paths)) {
      held.scan.put(held.slots.length, Buffer.from(vector, 'base64'))
      held.slots.push({ path, place, kind, document: documents.get(path) as ReadDocument })
    }
  }
  held.documents = documents
}

/** What the scope lets be shown, of documents that are still as they were read. */
function reachOf({ slots, documents }: Held, { prefixes, kinds }: KnowledgeScope): (at: number) => boolean {
  const shown = new Set([...documents.keys()].filter((path) => prefixes.some((one) => path.startsWith(one))))
  return (at) => {
    const { path, kind, document } = slots[at] as Slot
    const isWanted = kinds === undefined || kinds.some((one) => one === kind)
    return isWanted && shown.has(path) && documents.get(path) === document
  }
}
