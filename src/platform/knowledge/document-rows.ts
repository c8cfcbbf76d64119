import { PLACE_BYTES, putPlace } from './chunk-places.ts'
import { readChunk } from './chunks-row.ts'
import type { Cut, CutDocument } from './cut-document.ts'
import { ENDS_A_CHUNK } from './document-digester.ts'
import type { Chunk, DocumentRows, DocumentWords } from './knowledge.ts'

const NUMBER_BYTES = 4
const NO_WORDS: DocumentWords = {
  bytes: new Uint8Array(0),
  ends: new Int32Array(0),
  counts: new Uint8Array(0),
}

/** Rows on their way between threads: where they lie in a block, and how many bytes each part of them has. */
export interface PackedRows {
  readonly block: ArrayBuffer
  readonly start: number
  readonly count: number
  readonly has_words: boolean
  readonly words: number
  readonly vectors: number
  readonly names: number
  readonly counts: number
  readonly texts: number
}

/** Gives room for rows. */
export type TakeRoom = (bytes: number) => Pick<PackedRows, 'block' | 'start'>

/** A block for each. */
const takeBlock: TakeRoom = (bytes) => ({ block: new ArrayBuffer(bytes), start: 0 })

/** Room in a block that many share, of so many bytes; there is another one for what has none left in it. */
export function shareBlocks(block_bytes: number): TakeRoom {
  let [block, used] = [new ArrayBuffer(block_bytes), 0]
  return (bytes) => {
    const start = Math.ceil(used / NUMBER_BYTES) * NUMBER_BYTES
    if (start + bytes <= block.byteLength) {
      used = start + bytes
      return { block, start }
    }
    block = new ArrayBuffer(Math.max(block_bytes, bytes))
    used = bytes
    return { block, start: 0 }
  }
}

/** Puts all that an index keeps of a document's chunks into one piece: thousands of small things would cost more. */
export function packRows(
  { bytes, cuts }: CutDocument,
  vectors: Int8Array,
  words: DocumentWords | undefined,
  takeRoom = takeBlock,
): PackedRows {
  const names = cuts.map(({ name }) => name).join('')
  const { bytes: word_bytes, ends, counts } = words ?? NO_WORDS
  const packed = {
    count: cuts.length,
    has_words: words !== undefined,
    words: word_bytes.length,
    vectors: vectors.length,
    names: Buffer.byteLength(names),
    counts: counts.length,
    texts: cuts.reduce((sum, { from, to }) => sum + to - from, 0),
  }
  const room = takeRoom(sizeOf(packed))
  const rows = openRows({ ...packed, ...room })
  fillPlaces(rows.places, cuts, ends, packed.names === names.length)
  rows.ends.set(ends)
  rows.words.set(word_bytes)
  rows.vectors.set(vectors)
  rows.counts.set(counts)
  bufferOf(rows.names).write(names)
  fillTexts(rows.texts, bytes, cuts)
  return { ...packed, ...room }
}

function sizeOf({
  count,
  has_words,
  words,
  vectors,
  names,
  counts,
  texts,
}: Omit<PackedRows, 'block' | 'start'>) {
  const ends = has_words ? 1 + count * ENDS_A_CHUNK : 0
  return ends * NUMBER_BYTES + count * PLACE_BYTES + words + vectors + names + counts + texts
}

/** Where all letters are those of ASCII, a name has as many bytes as letters. */
function fillPlaces(
  places: Uint8Array,
  cuts: readonly Cut[],
  ends: Int32Array,
  are_names_plain: boolean,
): void {
  const view = new DataView(places.buffer, places.byteOffset, places.byteLength)
  let [chunk, name_end, text_end] = [0, 0, 0]
  for (const { kind, start_line, end_line, name, from, to } of cuts) {
    name_end += are_names_plain ? name.length : Buffer.byteLength(name)
    text_end += to - from
    const counts_end = ends[(chunk + 1) * ENDS_A_CHUNK - 1] ?? 0
    putPlace(view, chunk++, { kind, start_line, end_line, name_end, counts_end, text_end })
  }
}

/** Chunks that follow each other, as most do, are copied at once. */
function fillTexts(texts: Uint8Array, bytes: Uint8Array, cuts: readonly Cut[]): void {
  let end = 0
  for (let at = 0; at < cuts.length; ) {
    const { from } = cuts[at] as Cut
    let { to } = cuts[at++] as Cut
    while (cuts[at]?.from === to) to = (cuts[at++] as Cut).to
    texts.set(bytes.subarray(from, to), end)
    end += to - from
  }
}

/** The parts of packed rows. */
export function openRows(packed: PackedRows): DocumentRows {
  const { block, start, count, has_words } = packed
  const ends = new Int32Array(block, start, has_words ? 1 + count * ENDS_A_CHUNK : 0)
  let at = start + ends.byteLength
  const take = (bytes: number) => new Uint8Array(block, (at += bytes) - bytes, bytes)
  return {
    count,
    has_words,
    ends,
    places: take(count * PLACE_BYTES),
    words: take(packed.words),
    vectors: new Int8Array(block, (at += packed.vectors) - packed.vectors, packed.vectors),
    names: take(packed.names),
    counts: take(packed.counts),
    texts: take(packed.texts),
  }
}

/** The chunks that rows were made of. */
export function chunksOf(rows: DocumentRows): Chunk[] {
  return Array.from({ length: rows.count }, (_, at) => {
    const { counts: _counts, ...chunk } = readChunk(rows, at) as NonNullable<ReturnType<typeof readChunk>>
    return chunk
  })
}

/** The vectors of rows, one for each chunk. */
export function vectorsOf({ count, vectors }: DocumentRows): Int8Array[] {
  const dimensions = vectors.length / Math.max(1, count)
  return Array.from({ length: count }, (_, at) => vectors.subarray(at * dimensions, (at + 1) * dimensions))
}

/** Vectors of one length, one after the other. */
export function joinVectors(vectors: readonly Int8Array[]): Int8Array {
  const dimensions = vectors[0]?.length ?? 0
  const joined = new Int8Array(vectors.length * dimensions)
  for (const [at, vector] of vectors.entries()) joined.set(vector, at * dimensions)
  return joined
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
