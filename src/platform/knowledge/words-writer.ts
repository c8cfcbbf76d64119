import { ENDS_A_CHUNK } from './document-digester.ts'
import type { Connection } from './embedded-schema.ts'
import type { DocumentRows } from './knowledge.ts'
import { openSegmentMaker, type PostingsWeight, SEGMENT_MAX_BYTES, weightOf } from './postings-program.ts'
import { openWordSegments } from './word-segments.ts'
import type { WordTotals } from './word-totals.ts'

/** So many chunks are worth a segment of their own making; fewer are told to the full text one by one. */
const SEGMENT_FROM_CHUNKS = 500

/** A document on its way into an index. */
export interface NewDocument {
  readonly path: string
  readonly sha256: string
  readonly rows: DocumentRows
}

/** Puts the words of new chunks into an index, within a transaction. */
export interface WordsWriter {
  begin(documents: readonly NewDocument[]): void
  add(first_chunk: number, rows: DocumentRows): void
  /** To be called before the totals are settled. */
  finish(): void
}

/** Opens a writer of words. What it leaves is the same either way; one segment made at once takes a fraction of the time. */
export function openWordsWriter(
  connection: Connection,
  totals: WordTotals,
  from_chunks = SEGMENT_FROM_CHUNKS,
): WordsWriter {
  const addRow = connection.prepare(
    'INSERT INTO words (rowid, body, name, owner, path) VALUES (?, ?, ?, ?, ?)',
  )
  const maker = openSegmentMaker()
  const writeSegment = openWordSegments(connection)
  let segment_start: number | undefined
  let is_segment = false
  return {
    begin(documents) {
      const weight = weightOfAll(documents)
      segment_start = undefined
      is_segment = weight.chunks >= from_chunks && weight.bytes <= SEGMENT_MAX_BYTES && !hasTwice(documents)
      if (is_segment) maker.begin(weight)
    },
    add(first_chunk, rows) {
      if (!is_segment) return addWords(addRow, first_chunk, rows)
      segment_start ??= first_chunk
      maker.add(rows)
    },
    finish() {
      if (segment_start === undefined) return
      const segment = maker.finish(segment_start)
      writeSegment(segment, segment_start)
      totals.noteAddition(segment.chunks, segment.totals)
    },
  }
}

function weightOfAll(documents: readonly NewDocument[]): PostingsWeight {
  let [chunks, bytes] = [0, 0]
  for (const { rows } of documents) {
    const weight = weightOf(rows)
    chunks += weight.chunks
    bytes += weight.bytes
  }
  return { chunks, bytes }
}

/** One that comes again replaces what came before, which a segment could not take out again. */
function hasTwice(documents: readonly NewDocument[]): boolean {
  return new Set(documents.map(({ path }) => path)).size < documents.length
}

type ChunkEnds = [body: number, name: number, owner: number]

/** Tells the full text the words of a document's chunks. */
function addWords(
  addRow: { run(...values: unknown[]): unknown },
  first_chunk: number,
  { count, words, ends }: DocumentRows,
): void {
  const path_words = words.subarray(0, ends[0])
  let from = ends[0] as number
  for (let at = 0; at < count; at++) {
    const [body, name, owner] = ends.subarray(1 + at * ENDS_A_CHUNK) as unknown as ChunkEnds
    const own = [words.subarray(from, body), words.subarray(body, name), words.subarray(name, owner)]
    addRow.run(first_chunk + at, ...own, path_words)
    from = owner
  }
}
