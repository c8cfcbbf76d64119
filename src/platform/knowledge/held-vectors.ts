import { addChunk, type ChunkColumns, emptyColumns } from './chunk-columns.ts'
import { IndexDamaged } from './damaged-index.ts'
import type { Connection } from './embedded-schema.ts'
import { KNOWLEDGE_KINDS, type KnowledgeScope } from './knowledge.ts'
import type { Corpus } from './rank-candidates.ts'
import { openVectorScan } from './vector-scan.ts'
import { isSoundVectors, readVectors, type VectorsRow } from './vectors-row.ts'

/** With a larger share of removed chunks everything is read anew. */
const DEAD_SHARE = 0.3

/** Whether the chunk in a slot may be shown. */
export type Reach = (slot: number) => boolean

/** What is known of all chunks without looking for words. */
export type Statistics = Pick<Corpus, 'chunks' | 'average_lengths'>

/** All vectors of an index in memory, each in a slot, with what a scope asks of its chunk. */
export interface HeldVectors {
  readonly columns: ChunkColumns
  readonly statistics: Statistics
  /** Takes in what changed in the file since the last time; called inside a read. */
  refresh(): void
  /** What is written through this same connection the file does not tell. */
  markStale(): void
  /** What a scope lets be shown, or nothing where it lets all. */
  reachOf(scope: KnowledgeScope): Reach | undefined
  /** The dot products of a vector with all slots, or nothing where its dimensions are others. */
  scan(vector: Int8Array): Int32Array | undefined
}

interface State {
  columns: ChunkColumns
  scan: ReturnType<typeof openVectorScan>
  /** Of the documents that are there now. */
  paths: Map<number, string>
  dead: number
  statistics: Statistics
}

/** Holds the vectors of an open index, reading them when they are first asked for. */
export function openHeldVectors(connection: Connection): HeldVectors {
  const listVectors = connection.prepare('SELECT * FROM vectors WHERE first_chunk > ? ORDER BY first_chunk')
  const listDocuments = connection.prepare('SELECT id, path FROM documents').raw()
  const state: State = { ...emptyState(), paths: new Map() }
  let version: unknown

  const readNew = () => {
    const last = state.columns.chunks[state.columns.size - 1] ?? 0
    for (const row of listVectors.iterate(last) as Iterable<VectorsRow>) {
      if (!isSoundVectors(row)) throw new IndexDamaged(connection.name, 'a vector of it is none')
      readVectors(row, (chunk, vector) => {
        state.scan.put(state.columns.size, vector)
        state.columns = addChunk(state.columns, chunk)
      })
    }
    state.dead = countDead(state)
  }
  return {
    get columns() {
      return state.columns
    },
    get statistics() {
      return state.statistics
    },
    refresh() {
      const now = connection.pragma('data_version', { simple: true })
      if (now === version) return
      state.paths = new Map(listDocuments.all() as [number, string][])
      readNew()
      if (state.dead > state.columns.size * DEAD_SHARE) {
        Object.assign(state, emptyState())
        readNew()
      }
      state.statistics = measure(state)
      version = now
    },
    markStale() {
      version = undefined
    },
    reachOf: (scope) => findReach(state, scope),
    scan: (vector) => state.scan.run(vector, state.columns.size),
  }
}

function emptyState(): Omit<State, 'paths'> {
  const average_lengths = { code: 0, test: 0, doc: 0, config: 0, record: 0 }
  const statistics = { chunks: 0, average_lengths }
  return { columns: emptyColumns(), scan: openVectorScan(), dead: 0, statistics }
}

function countDead({ columns, paths }: State): number {
  let dead = 0
  for (let slot = 0; slot < columns.size; slot++) if (!paths.has(columns.documents[slot] as number)) dead++
  return dead
}

function measure({ columns, paths, dead }: State): Statistics {
  const sums = KNOWLEDGE_KINDS.map(() => ({ terms: 0, chunks: 0 }))
  for (let slot = 0; slot < columns.size; slot++) {
    const sum = sums[columns.kinds[slot] as number]
    // What was removed is held a while longer, and counts no more.
    if (!sum || !paths.has(columns.documents[slot] as number)) continue
    sum.terms += columns.lengths[slot] as number
    sum.chunks++
  }
  const averages = KNOWLEDGE_KINDS.map((kind, at) => [kind, (sums[at]?.terms ?? 0) / (sums[at]?.chunks || 1)])
  return { chunks: columns.size - dead, average_lengths: Object.fromEntries(averages) }
}

function findReach({ columns, paths, dead }: State, { prefixes, kinds }: KnowledgeScope): Reach | undefined {
  const isWanted = KNOWLEDGE_KINDS.map((kind) => kinds === undefined || kinds.includes(kind))
  const shown = new Set<number>()
  for (const [id, path] of paths) if (prefixes.some((prefix) => path.startsWith(prefix))) shown.add(id)
  if (shown.size === paths.size && dead === 0 && isWanted.every(Boolean)) return undefined
  const fits = new Uint8Array(columns.size)
  for (let slot = 0; slot < columns.size; slot++)
    if (isWanted[columns.kinds[slot] as number] && shown.has(columns.documents[slot] as number))
      fits[slot] = 1
  return (slot) => fits[slot] === 1
}
