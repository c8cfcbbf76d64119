import { type Chunk, KNOWLEDGE_KINDS } from './knowledge.ts'

/** Six numbers for each chunk: its kind, its first and last line, and where its name, its counts and its text end. */
export const PLACE_BYTES = 24
const [START_LINE_AT, END_LINE_AT] = [4, 8]
export const [NAME_AT, COUNTS_AT, TEXT_AT] = [12, 16, 20] as const
/** Of one stem in the counts. */
const COUNT_BYTES = 4

/** A chunk without its texts, and where these end. */
export interface ChunkPlace extends Pick<Chunk, 'kind' | 'start_line' | 'end_line'> {
  readonly name_end: number
  readonly counts_end: number
  readonly text_end: number
}

/** Puts down one chunk of many. */
export function putPlace(view: DataView, chunk: number, place: ChunkPlace): void {
  const at = chunk * PLACE_BYTES
  view.setInt32(at, KNOWLEDGE_KINDS.indexOf(place.kind), true)
  view.setInt32(at + START_LINE_AT, place.start_line, true)
  view.setInt32(at + END_LINE_AT, place.end_line, true)
  view.setInt32(at + NAME_AT, place.name_end, true)
  view.setInt32(at + COUNTS_AT, place.counts_end, true)
  view.setInt32(at + TEXT_AT, place.text_end, true)
}

/** Which kind a chunk of sound places says that it has. */
export function kindIn(places: Uint8Array, chunk: number): number {
  return kindAt(viewOf(places), chunk)
}

/** The same, for who asks about many. */
export function kindAt(places: DataView, chunk: number): number {
  return places.getInt32(chunk * PLACE_BYTES, true)
}

/** The lines of a chunk. */
export function linesIn(places: Uint8Array, chunk: number): Pick<Chunk, 'start_line' | 'end_line'> {
  const [view, at] = [viewOf(places), chunk * PLACE_BYTES]
  return {
    start_line: view.getInt32(at + START_LINE_AT, true),
    end_line: view.getInt32(at + END_LINE_AT, true),
  }
}

/** Where something of a chunk lies: what ends with one chunk begins the next one. */
export function spanIn(places: Uint8Array, chunk: number, what: number): [from: number, to: number] {
  const [view, at] = [viewOf(places), chunk * PLACE_BYTES]
  return [startOf(view, at, what), view.getInt32(at + what, true)]
}

/** Whether places can be those of so many chunks, of which everything has as many bytes as they say. */
export function arePlaces(
  places: Uint8Array,
  count: number,
  lengths: { readonly names: number; readonly counts: number; readonly texts: number },
): boolean {
  if (places.length !== count * PLACE_BYTES) return false
  const view = viewOf(places)
  for (let chunk = 0; chunk < count; chunk++) if (!isPlace(view, chunk * PLACE_BYTES)) return false
  const endOf = (what: number) => startOf(view, places.length, what)
  return (
    endOf(NAME_AT) === lengths.names &&
    endOf(COUNTS_AT) === lengths.counts &&
    endOf(TEXT_AT) === lengths.texts
  )
}

function isPlace(view: DataView, at: number): boolean {
  const start_line = view.getInt32(at + START_LINE_AT, true)
  if (view.getUint32(at, true) >= KNOWLEDGE_KINDS.length || start_line < 1) return false
  if (view.getInt32(at + END_LINE_AT, true) < start_line) return false
  if (view.getInt32(at + COUNTS_AT, true) % COUNT_BYTES !== 0) return false
  return [NAME_AT, COUNTS_AT, TEXT_AT].every(
    (what) => startOf(view, at, what) <= view.getInt32(at + what, true),
  )
}

function startOf(view: DataView, at: number, what: number): number {
  return at === 0 ? 0 : view.getInt32(at - PLACE_BYTES + what, true)
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
