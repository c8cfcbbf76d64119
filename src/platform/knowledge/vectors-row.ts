import type { ChunkRow } from './chunk-columns.ts'
import { kindAt, viewOf } from './chunk-places.ts'
import type { DocumentRows } from './knowledge.ts'

/** Four bytes for each chunk: its kind, and how many terms its text has. */
const ABOUT_BYTES = 4
const KIND_BITS = 8
const KIND_LIMIT = 255
/** SQLite keeps whatever is given to it in any column; no embedder makes longer vectors. */
export const VECTOR_MAX_BYTES = 8_192

/** The vectors of a document's chunks as an index keeps them. */
export interface VectorsRow {
  readonly first_chunk: number
  readonly document_id: number
  readonly about: Uint8Array
  readonly vectors: Uint8Array
}

/** What is said about each chunk beside its vector; `termsOf` tells how many terms its text has. */
export function packAbout({ count, places }: DocumentRows, termsOf: (chunk: number) => number): Uint8Array {
  const about = Buffer.allocUnsafe(count * ABOUT_BYTES)
  const view = new DataView(about.buffer, about.byteOffset, about.byteLength)
  const kinds = viewOf(places)
  for (let chunk = 0; chunk < count; chunk++) {
    view.setUint32(chunk * ABOUT_BYTES, kindAt(kinds, chunk) | (termsOf(chunk) << KIND_BITS), true)
  }
  return about
}

/** Which kind a row says that a chunk has. */
export function kindAbout(about: Uint8Array, chunk: number): number {
  return about[chunk * ABOUT_BYTES] as number
}

/** Whether a row can be the vectors of a document. */
export function isSoundVectors({ about, vectors }: { about: unknown; vectors: unknown }): boolean {
  if (!(about instanceof Uint8Array) || !(vectors instanceof Uint8Array)) return false
  const count = about.length / ABOUT_BYTES
  const bytes = vectors.length / count
  return Number.isInteger(count) && Number.isInteger(bytes) && bytes > 0 && bytes <= VECTOR_MAX_BYTES
}

/** Each chunk of a row with its vector. */
export function readVectors(
  { first_chunk, document_id, about, vectors }: VectorsRow,
  take: (row: ChunkRow, vector: Uint8Array) => void,
): void {
  const count = about.length / ABOUT_BYTES
  const bytes = vectors.length / count
  const view = new DataView(about.buffer, about.byteOffset, about.byteLength)
  for (let chunk = 0; chunk < count; chunk++) {
    const packed = view.getUint32(chunk * ABOUT_BYTES, true)
    const row = {
      chunk_id: first_chunk + chunk,
      document_id,
      kind: packed & KIND_LIMIT,
      length: packed >>> KIND_BITS,
    }
    take(row, vectors.subarray(chunk * bytes, (chunk + 1) * bytes))
  }
}
