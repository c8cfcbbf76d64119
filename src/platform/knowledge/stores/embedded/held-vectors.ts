import { KNOWLEDGE_KINDS, type KnowledgeScope } from '../../knowledge.ts'
import { averageLengths, type Corpus } from '../../ranking/rank-candidates.ts'
import { openVectorScan, type VectorScan } from '../../vectors/vector-scan.ts'
import { IndexDamaged } from './damaged-index.ts'
import { type Connection, VECTOR_MAX_BYTES } from './embedded-schema.ts'

const FIRST_CAPACITY = 4_096
const LENGTH_LIMIT = 65_535
/** With a larger share of removed chunks everything is read anew. */
const DEAD_SHARE = 0.3

/** What is held of each chunk beside its vector, in the order of their numbers. */
export interface ChunkColumns {
  readonly size: number
  readonly chunks: Float64Array
  readonly documents: Float64Array
  readonly kinds: Uint8Array
  readonly lengths: Uint16Array
}

/** A chunk as its row has it. */
interface ChunkRow {
  readonly id: number
  readonly document_id: number
  readonly kind: number
  readonly length: number
}

/** Whether the chunk in a slot may be shown. */
export type Reach = (slot: number) => boolean

/** What is known of all chunks without looking for words. */
export type Statistics = Pick<Corpus, 'chunks' | 'average_lengths'>

/** A cache of all vectors of an index in memory, each in a slot, with what a scope asks of its chunk. */
export interface HeldVectors {
  readonly columns: ChunkColumns
  readonly statistics: Statistics
  /** Takes in what changed in the file since the last time; called inside a read. */
  refresh(): void
  /** What is written through this same connection the file does not tell. */
  markStale(): void
  /** What a scope lets be shown, or undefined where it lets all. */
  reachOf(scope: KnowledgeScope): Reach | undefined
  /** The dot products of a vector with all slots, or undefined where its dimensions are others. */
  scan(vector: Int8Array): Int32Array | undefined
}

interface State {
  columns: ChunkColumns
  scan: VectorScan
  /** Of the documents that are there now. */
  paths: Map<number, string>
  dead: number
  statistics: Statistics
}

interface Row extends ChunkRow {
  readonly vector: unknown
}

/** Holds the vectors of an open index, reading them when they are first asked for. */
export function openHeldVectors(connection: Connection): HeldVectors {
  const listChunks = connection.prepare(
    'SELECT id, document_id, kind, length, vector FROM chunks WHERE id > ? ORDER BY id',
  )
  const listDocuments = connection.prepare('SELECT id, path FROM documents').raw()
  const state: State = { ...emptyState(), paths: new Map() }
  let version: unknown

  const readNew = () => {
    const last = state.columns.chunks[state.columns.size - 1] ?? 0
    for (const row of listChunks.iterate(last) as Iterable<Row>) {
      const { vector } = row
      if (!(vector instanceof Uint8Array) || vector.length === 0 || vector.length > VECTOR_MAX_BYTES)
        throw new IndexDamaged(connection.name, 'a vector of it is none')
      if (!(row.kind in KNOWLEDGE_KINDS)) throw new IndexDamaged(connection.name, 'a row of it is none')
      state.scan.put(state.columns.size, vector)
      state.columns = addChunk(state.columns, row)
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
  const statistics = { chunks: 0, average_lengths: averageLengths([]) }
  return { columns: emptyColumns(), scan: openVectorScan(), dead: 0, statistics }
}

function countDead({ columns, paths }: State): number {
  let dead = 0
  for (let slot = 0; slot < columns.size; slot++) if (!paths.has(columns.documents[slot] as number)) dead++
  return dead
}

function measure({ columns, paths, dead }: State): Statistics {
  const sums = KNOWLEDGE_KINDS.map((kind) => ({ kind, terms: 0, chunks: 0 }))
  for (let slot = 0; slot < columns.size; slot++) {
    const sum = sums[columns.kinds[slot] as number]
    // What was removed is held a while longer, and counts no more.
    if (!sum || !paths.has(columns.documents[slot] as number)) continue
    sum.terms += columns.lengths[slot] as number
    sum.chunks++
  }
  return { chunks: columns.size - dead, average_lengths: averageLengths(sums) }
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

/** Columns without a chunk, with room for the first ones. */
function emptyColumns(capacity = FIRST_CAPACITY): ChunkColumns {
  return {
    size: 0,
    chunks: new Float64Array(capacity),
    documents: new Float64Array(capacity),
    kinds: new Uint8Array(capacity),
    lengths: new Uint16Array(capacity),
  }
}

/** Adds a chunk after all others: the columns with it, in twice the room where there was none left. */
function addChunk(columns: ChunkColumns, row: ChunkRow): ChunkColumns {
  const { size } = columns
  const roomy = size < columns.chunks.length ? columns : growColumns(columns)
  roomy.chunks[size] = row.id
  roomy.documents[size] = row.document_id
  roomy.kinds[size] = row.kind
  roomy.lengths[size] = Math.min(row.length, LENGTH_LIMIT)
  return Object.assign(roomy, { size: size + 1 })
}

function growColumns({ size, chunks, documents, kinds, lengths }: ChunkColumns): ChunkColumns {
  const larger = emptyColumns(size * 2)
  larger.chunks.set(chunks)
  larger.documents.set(documents)
  larger.kinds.set(kinds)
  larger.lengths.set(lengths)
  return larger
}

/** Where a chunk is held, if it is. */
export function findSlot({ chunks, size }: ChunkColumns, chunk_id: number): number | undefined {
  let [low, high] = [0, size - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = chunks[middle] as number
    if (found === chunk_id) return middle
    if (found < chunk_id) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
