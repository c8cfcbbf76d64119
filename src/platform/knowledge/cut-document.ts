import type { Chunk } from './knowledge.ts'

/** A chunk by where its text lies among the bytes of its document. */
export interface Cut extends Omit<Chunk, 'text'> {
  readonly from: number
  readonly to: number
}

/** A document and what it was cut into. Its bytes are UTF-8, and no text is made of them. */
export interface CutDocument {
  readonly path: string
  readonly bytes: Uint8Array
  readonly cuts: readonly Cut[]
}

/** The same document with its texts. */
export function chunksIn({ bytes, cuts }: Pick<CutDocument, 'bytes' | 'cuts'>): Chunk[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return cuts.map(({ from, to, ...rest }) => ({ ...rest, text: buffer.toString('utf8', from, to) }))
}

/** A document of chunks that are texts: their bytes one after the other. */
export function gatherChunks(path: string, chunks: readonly Chunk[]): CutDocument {
  const bytes = Buffer.from(chunks.map(({ text }) => text).join(''))
  let end = 0
  const cuts = chunks.map(({ text, ...rest }) => {
    const from = end
    end += Buffer.byteLength(text)
    return { ...rest, from, to: end }
  })
  // Halves of a pair of characters become one where they meet.
  if (end !== bytes.length) return gatherChunks(path, chunks.map(withoutHalves))
  return { path, bytes, cuts }
}

function withoutHalves(chunk: Chunk): Chunk {
  return { ...chunk, text: chunk.text.toWellFormed() }
}
