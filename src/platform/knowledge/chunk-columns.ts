const FIRST_CAPACITY = 4_096
const LENGTH_LIMIT = 65_535

/** What is held of each chunk beside its vector, in the order of their numbers. */
export interface ChunkColumns {
  readonly size: number
  readonly chunks: Float64Array
  readonly documents: Float64Array
  readonly kinds: Uint8Array
  readonly lengths: Uint16Array
}

/** A chunk as its row has it. */
export interface ChunkRow {
  readonly chunk_id: number
  readonly document_id: number
  readonly kind: number
  readonly length: number
}

/** Columns without a chunk, with room for the first ones. */
export function emptyColumns(capacity = FIRST_CAPACITY): ChunkColumns {
  return {
    size: 0,
    chunks: new Float64Array(capacity),
    documents: new Float64Array(capacity),
    kinds: new Uint8Array(capacity),
    lengths: new Uint16Array(capacity),
  }
}

/** Adds a chunk after all others: the columns with it, in twice the room where there was none left. */
export function addChunk(columns: ChunkColumns, row: ChunkRow): ChunkColumns {
  const { size } = columns
  const roomy = size < columns.chunks.length ? columns : growColumns(columns)
  roomy.chunks[size] = row.chunk_id
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
