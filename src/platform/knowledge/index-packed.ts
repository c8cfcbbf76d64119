import type { FileDigest } from './index-digest.ts'
import { type Chunk, KNOWLEDGE_KINDS, type KnowledgeDocument } from './knowledge.ts'

const NUMBERS_A_CHUNK = 4

/** A document on its way between threads: what there is of each chunk, in one piece for all of them. */
interface PackedDocument extends Pick<KnowledgeDocument, 'path' | 'sha256' | 'words'> {
  readonly texts: string
  readonly names: readonly string[]
  /** Kind, first line, last line, and where the text ends, for each chunk. */
  readonly numbers: Int32Array<ArrayBuffer>
  readonly vectors: Int8Array<ArrayBuffer>
}

type PackedDigest =
  | Exclude<FileDigest, { kind: 'document' }>
  | { readonly kind: 'document'; readonly path: string; readonly document: PackedDocument }

/** Digests on their way between threads: thousands of small things would take longer than the making of them. */
export interface PackedDigests {
  readonly digests: readonly PackedDigest[]
}

/** Puts the chunks of each document together; the blocks are to be handed over and not copied. */
export function packDigests(digests: readonly FileDigest[]): PackedDigests & { blocks: ArrayBuffer[] } {
  const blocks: ArrayBuffer[] = []
  const packed = digests.map((digest): PackedDigest => {
    if (digest.kind !== 'document') return digest
    const document = packDocument(digest.document)
    const { numbers, vectors, words } = document
    blocks.push(numbers.buffer, vectors.buffer, ...(words ? [words.bytes.buffer, words.ends.buffer] : []))
    return { ...digest, document }
  })
  return { digests: packed, blocks }
}

/** Takes the chunks apart again. */
export function unpackDigests({ digests }: PackedDigests): FileDigest[] {
  return digests.map((digest) =>
    digest.kind === 'document' ? { ...digest, document: unpackDocument(digest.document) } : digest,
  )
}

function packDocument({ chunks, vectors, ...rest }: KnowledgeDocument): PackedDocument {
  const numbers = new Int32Array(chunks.length * NUMBERS_A_CHUNK)
  let [at, end] = [0, 0]
  for (const { kind, start_line, end_line, text } of chunks) {
    end += text.length
    numbers[at++] = KNOWLEDGE_KINDS.indexOf(kind)
    numbers[at++] = start_line
    numbers[at++] = end_line
    numbers[at++] = end
  }
  const texts = chunks.map(({ text }) => text).join('')
  return { ...rest, texts, names: chunks.map(({ name }) => name), numbers, vectors: joinVectors(vectors) }
}

function joinVectors(vectors: readonly Int8Array[]): Int8Array<ArrayBuffer> {
  const dimensions = vectors[0]?.length ?? 0
  const all = new Int8Array(vectors.length * dimensions)
  for (const [at, vector] of vectors.entries()) all.set(vector, at * dimensions)
  return all
}

function unpackDocument({ texts, names, numbers, vectors, ...rest }: PackedDocument): KnowledgeDocument {
  const dimensions = vectors.length / Math.max(1, names.length)
  let from = 0
  const chunks = names.map((name, at): Chunk => {
    const [start, number] = [from, (place: number) => numbers[at * NUMBERS_A_CHUNK + place] as number]
    from = number(3)
    const kind = KNOWLEDGE_KINDS[number(0)] as Chunk['kind']
    return { kind, name, start_line: number(1), end_line: number(2), text: texts.slice(start, from) }
  })
  const views = names.map((_, at) => vectors.subarray(at * dimensions, (at + 1) * dimensions))
  return { ...rest, chunks, vectors: views }
}
