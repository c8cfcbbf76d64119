import type { Cut, CutDocument } from './cut-document.ts'
import { ENDS_A_CHUNK } from './document-digester.ts'
import { type Chunk, type DocumentRows, type DocumentWords, KNOWLEDGE_KINDS } from './knowledge.ts'

/** Kind, first line, last line, and where name and text end. */
export const NUMBERS_A_CHUNK = 5
const NUMBER_BYTES = 4
const NO_WORDS: DocumentWords = { bytes: new Uint8Array(0), ends: new Int32Array(0) }

/** Rows on their way between threads: one block, and how many bytes each part of it has. */
export interface PackedRows {
  readonly block: ArrayBuffer
  readonly count: number
  readonly has_words: boolean
  readonly words: number
  readonly vectors: number
  readonly names: number
  readonly texts: number
}

/** Puts all that an index keeps of a document's chunks into one block: thousands of small things would cost more. */
export function packRows(
  { bytes, cuts }: CutDocument,
  vectors: Int8Array,
  words: DocumentWords | undefined,
): PackedRows {
  const names = cuts.map(({ name }) => name).join('')
  const { bytes: word_bytes, ends } = words ?? NO_WORDS
  const packed = {
    count: cuts.length,
    has_words: words !== undefined,
    words: word_bytes.length,
    vectors: vectors.length,
    names: Buffer.byteLength(names),
    texts: cuts.reduce((sum, { from, to }) => sum + to - from, 0),
  }
  const numbers = cuts.length * NUMBERS_A_CHUNK + ends.length
  const block = new ArrayBuffer(
    numbers * NUMBER_BYTES + packed.words + packed.vectors + packed.names + packed.texts,
  )
  const rows = openRows({ ...packed, block })
  fillNumbers(rows, cuts, packed.names === names.length)
  rows.ends.set(ends)
  rows.words.set(word_bytes)
  rows.vectors.set(vectors)
  bufferOf(rows.names).write(names)
  fillTexts(bufferOf(rows.texts), bufferOf(bytes), cuts)
  return { ...packed, block }
}

/** Where all letters are those of ASCII, a name has as many bytes as letters. */
function fillNumbers({ numbers }: DocumentRows, cuts: readonly Cut[], are_names_plain: boolean): void {
  let [at, name_end, text_end] = [0, 0, 0]
  for (const { kind, start_line, end_line, name, from, to } of cuts) {
    numbers[at++] = KNOWLEDGE_KINDS.indexOf(kind)
    numbers[at++] = start_line
    numbers[at++] = end_line
    numbers[at++] = name_end += are_names_plain ? name.length : Buffer.byteLength(name)
    numbers[at++] = text_end += to - from
  }
}

function fillTexts(texts: Buffer, bytes: Buffer, cuts: readonly Cut[]): void {
  let end = 0
  for (const { from, to } of cuts) end += bytes.copy(texts, end, from, to)
}

/** The parts of a block. */
export function openRows({
  block,
  count,
  has_words,
  words,
  vectors,
  names,
  texts,
}: PackedRows): DocumentRows {
  const numbers = count * NUMBERS_A_CHUNK
  const ends = has_words ? 1 + count * ENDS_A_CHUNK : 0
  let at = (numbers + ends) * NUMBER_BYTES
  const take = (bytes: number) => new Uint8Array(block, (at += bytes) - bytes, bytes)
  return {
    count,
    has_words,
    numbers: new Int32Array(block, 0, numbers),
    ends: new Int32Array(block, numbers * NUMBER_BYTES, ends),
    words: take(words),
    vectors: new Int8Array(block, (at += vectors) - vectors, vectors),
    names: take(names),
    texts: take(texts),
  }
}

/** The chunks that rows were made of. */
export function chunksOf({ count, numbers, names, texts }: DocumentRows): Chunk[] {
  const [name_bytes, text_bytes] = [bufferOf(names), bufferOf(texts)]
  let [name_start, text_start] = [0, 0]
  return Array.from({ length: count }, (_, at) => {
    const [kind, start_line, end_line, name_end, text_end] = numbers.subarray(
      at * NUMBERS_A_CHUNK,
      (at + 1) * NUMBERS_A_CHUNK,
    ) as unknown as [number, number, number, number, number]
    const name = name_bytes.toString('utf8', name_start, (name_start = name_end))
    const text = text_bytes.toString('utf8', text_start, (text_start = text_end))
    return { kind: KNOWLEDGE_KINDS[kind] as Chunk['kind'], name, start_line, end_line, text }
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
