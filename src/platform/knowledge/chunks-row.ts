import {
  arePlaces,
  COUNTS_AT,
  kindIn,
  linesIn,
  NAME_AT,
  PLACE_BYTES,
  spanIn,
  TEXT_AT,
} from './chunk-places.ts'
import { type Chunk, type DocumentRows, KNOWLEDGE_KINDS } from './knowledge.ts'

/** The chunks of a document as an index keeps them: what they have of each sort in one piece. */
export type ChunksRow = Pick<DocumentRows, 'places' | 'names' | 'counts' | 'texts'>

/** A chunk as it is kept, with the counts of its stems. */
export interface KeptChunk extends Chunk {
  readonly counts: Uint8Array
}

/** Whether a row can be so many chunks of a document. */
export function isSoundChunks(row: Readonly<Record<keyof ChunksRow, unknown>>, count: number): boolean {
  const { places, names, counts, texts } = row
  if (!(places instanceof Uint8Array) || !(names instanceof Uint8Array)) return false
  if (!(counts instanceof Uint8Array) || !(texts instanceof Uint8Array)) return false
  return arePlaces(places, count, { names: names.length, counts: counts.length, texts: texts.length })
}

/** One chunk of a sound row; nothing where it has not so many. */
export function readChunk({ places, names, counts, texts }: ChunksRow, chunk: number): KeptChunk | undefined {
  if (chunk < 0 || chunk * PLACE_BYTES >= places.length) return undefined
  return {
    kind: KNOWLEDGE_KINDS[kindIn(places, chunk)] as Chunk['kind'],
    ...linesIn(places, chunk),
    name: textOf(names.subarray(...spanIn(places, chunk, NAME_AT))),
    counts: counts.subarray(...spanIn(places, chunk, COUNTS_AT)),
    text: textOf(texts.subarray(...spanIn(places, chunk, TEXT_AT))),
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}
