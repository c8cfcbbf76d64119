import { ENDS_A_CHUNK } from './document-digester.ts'
import { NUMBERS_A_CHUNK } from './document-rows.ts'
import { type Chunk, type DocumentRows, KNOWLEDGE_KINDS } from './knowledge.ts'

/** Six numbers for each chunk: its kind, its first and last line, and where its name, its counts and its text end. */
const PLACE_BYTES = 24
const [LINES_AT, NAME_AT, COUNTS_AT, TEXT_AT] = [4, 12, 16, 20]
/** Of one stem in the counts. */
const COUNT_BYTES = 4

/** The chunks of a document as an index keeps them: what they have of each sort in one piece. */
export interface ChunksRow {
  readonly places: Uint8Array
  readonly names: Uint8Array
  readonly counts: Uint8Array
  readonly texts: Uint8Array
}

/** A chunk as it is kept, with the counts of its stems. */
export interface KeptChunk extends Chunk {
  readonly counts: Uint8Array
}

/** Puts the chunks of a document together; names and texts are so already. */
export function packChunks({ count, numbers, names, texts, words, ends }: DocumentRows): ChunksRow {
  // Every byte is written below, so none has to be cleared before.
  const places = Buffer.allocUnsafe(count * PLACE_BYTES)
  const counts = Buffer.allocUnsafe(sizeOfCounts(count, ends))
  const [place, from, to] = [viewOf(places), viewOf(words), viewOf(counts)]
  let counts_end = 0
  for (let chunk = 0; chunk < count; chunk++) {
    const number = chunk * NUMBERS_A_CHUNK
    const part = chunk * ENDS_A_CHUNK
    const at = chunk * PLACE_BYTES
    const own_end = ends[part + 4] as number
    // Few numbers at a time are copied faster one by one than by a view for each chunk.
    for (let own = ends[part + 3] as number; own < own_end; own += COUNT_BYTES, counts_end += COUNT_BYTES)
      to.setUint32(counts_end, from.getUint32(own, true), true)
    place.setInt32(at, numbers[number] as number, true)
    place.setInt32(at + LINES_AT, numbers[number + 1] as number, true)
    place.setInt32(at + LINES_AT + 4, numbers[number + 2] as number, true)
    place.setInt32(at + NAME_AT, numbers[number + 3] as number, true)
    place.setInt32(at + COUNTS_AT, counts_end, true)
    place.setInt32(at + TEXT_AT, numbers[number + 4] as number, true)
  }
  return { places, names, counts, texts }
}

function sizeOfCounts(count: number, ends: Int32Array): number {
  let bytes = 0
  for (let part = 0; part < count * ENDS_A_CHUNK; part += ENDS_A_CHUNK)
    bytes += (ends[part + 4] as number) - (ends[part + 3] as number)
  return bytes
}

/** Whether a row can be so many chunks of a document. */
export function isSoundChunks(row: Readonly<Record<keyof ChunksRow, unknown>>, count: number): boolean {
  const { places, names, counts, texts } = row
  if (!(places instanceof Uint8Array) || places.length !== count * PLACE_BYTES) return false
  for (let chunk = 0; chunk < count; chunk++) if (!isSoundPlace(places, chunk)) return false
  return (
    endsWith(places, NAME_AT, names) &&
    endsWith(places, COUNTS_AT, counts) &&
    endsWith(places, TEXT_AT, texts)
  )
}

function isSoundPlace(places: Uint8Array, chunk: number): boolean {
  const [view, at] = [viewOf(places), chunk * PLACE_BYTES]
  const start_line = view.getInt32(at + LINES_AT, true)
  if (view.getUint32(at, true) >= KNOWLEDGE_KINDS.length || start_line < 1) return false
  if (view.getInt32(at + LINES_AT + 4, true) < start_line) return false
  if (view.getInt32(at + COUNTS_AT, true) % COUNT_BYTES !== 0) return false
  return [NAME_AT, COUNTS_AT, TEXT_AT].every((end) => startOf(view, at, end) <= view.getInt32(at + end, true))
}

/** Whether the last end is where something really ends. */
function endsWith(places: Uint8Array, end: number, bytes: unknown): boolean {
  if (!(bytes instanceof Uint8Array)) return false
  return bytes.length === startOf(viewOf(places), places.length, end)
}

/** What ends with one chunk begins the next one. */
function startOf(view: DataView, at: number, end: number): number {
  return at === 0 ? 0 : view.getInt32(at - PLACE_BYTES + end, true)
}

/** One chunk of a sound row; nothing where it has not so many. */
export function readChunk({ places, names, counts, texts }: ChunksRow, chunk: number): KeptChunk | undefined {
  const [view, at] = [viewOf(places), chunk * PLACE_BYTES]
  if (chunk < 0 || at >= places.length) return undefined
  const cut = (bytes: Uint8Array, end: number) =>
    bytes.subarray(startOf(view, at, end), view.getInt32(at + end, true))
  return {
    kind: KNOWLEDGE_KINDS[kindIn({ places }, chunk)] as Chunk['kind'],
    start_line: view.getInt32(at + LINES_AT, true),
    end_line: view.getInt32(at + LINES_AT + 4, true),
    name: textOf(cut(names, NAME_AT)),
    counts: cut(counts, COUNTS_AT),
    text: textOf(cut(texts, TEXT_AT)),
  }
}

/** Which kind a chunk of a sound row says that it has. */
export function kindIn({ places }: Pick<ChunksRow, 'places'>, chunk: number): number {
  return viewOf(places).getInt32(chunk * PLACE_BYTES, true)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}
