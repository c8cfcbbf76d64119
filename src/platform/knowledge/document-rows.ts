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
  chunks: readonly Chunk[],
  vectors: readonly Int8Array[],
  words: DocumentWords | undefined,
): PackedRows {
  const [names, texts] = [chunks.map(({ name }) => name).join(''), chunks.map(({ text }) => text).join('')]
  const { bytes, ends } = words ?? NO_WORDS
  const packed = {
    count: chunks.length,
    has_words: words !== undefined,
    words: bytes.length,
    vectors: vectors.length * (vectors[0]?.length ?? 0),
    names: Buffer.byteLength(names),
    texts: Buffer.byteLength(texts),
  }
  const numbers = chunks.length * NUMBERS_A_CHUNK + ends.length
  const block = new ArrayBuffer(
    numbers * NUMBER_BYTES + packed.words + packed.vectors + packed.names + packed.texts,
  )
  const rows = openRows({ ...packed, block })
  fillNumbers(rows, chunks, packed.names === names.length, packed.texts === texts.length)
  rows.ends.set(ends)
  rows.words.set(bytes)
  for (const [at, vector] of vectors.entries()) rows.vectors.set(vector, at * vector.length)
  bufferOf(rows.names).write(names)
  bufferOf(rows.texts).write(texts)
  return { ...packed, block }
}

/** Where all letters are those of ASCII, a text has as many bytes as letters. */
function fillNumbers(
  { numbers }: DocumentRows,
  chunks: readonly Chunk[],
  are_names_plain: boolean,
  are_texts_plain: boolean,
): void {
  let [at, name_end, text_end] = [0, 0, 0]
  for (const { kind, start_line, end_line, name, text } of chunks) {
    numbers[at++] = KNOWLEDGE_KINDS.indexOf(kind)
    numbers[at++] = start_line
    numbers[at++] = end_line
    numbers[at++] = name_end += are_names_plain ? name.length : Buffer.byteLength(name)
    numbers[at++] = text_end += are_texts_plain ? text.length : Buffer.byteLength(text)
  }
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

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
