import { chunksOf, openRows, type PackedRows, vectorsOf } from './document-rows.ts'
import type { FileDigest, FileText } from './index-digest.ts'
import type { KnowledgeDocument } from './knowledge.ts'

/** Texts on their way between threads: the bytes of all of them in one block. */
export interface PackedTexts {
  readonly block: ArrayBuffer
  readonly files: readonly (
    | Exclude<FileText, { kind: 'text' }>
    | { readonly kind: 'text'; readonly path: string; readonly sha256: string; readonly end: number }
  )[]
}

/** Puts texts into one block, which is to be handed over and not copied. */
export function packTexts(files: readonly FileText[]): PackedTexts {
  const length = files.reduce((sum, file) => sum + (file.kind === 'text' ? file.bytes.length : 0), 0)
  const bytes = new Uint8Array(new ArrayBuffer(length))
  let end = 0
  const packed = files.map((file) => {
    if (file.kind !== 'text') return file
    bytes.set(file.bytes, end)
    end += file.bytes.length
    return { kind: file.kind, path: file.path, sha256: file.sha256, end }
  })
  return { block: bytes.buffer, files: packed }
}

/** Takes the texts apart again. */
export function unpackTexts({ block, files }: PackedTexts): FileText[] {
  let start = 0
  return files.map((file) => {
    if (file.kind !== 'text') return file
    const bytes = new Uint8Array(block, start, file.end - start)
    start = file.end
    return { kind: file.kind, path: file.path, sha256: file.sha256, bytes }
  })
}

/** A document on its way between threads, or where none are. */
export interface PackedDocument extends Pick<KnowledgeDocument, 'path' | 'sha256'> {
  readonly rows: PackedRows
}

/** What became of files, on its way between threads. */
export type PackedDigest =
  | Exclude<FileDigest, { kind: 'document' }>
  | { readonly kind: 'document'; readonly path: string; readonly document: PackedDocument }

/** What is to be handed over and not copied. */
export function blocksOf(digests: readonly PackedDigest[]): ArrayBuffer[] {
  const blocks = new Set<ArrayBuffer>()
  for (const digest of digests) if (digest.kind === 'document') blocks.add(digest.document.rows.block)
  return [...blocks]
}

/** Documents as stores take them; their chunks are made of the block only where somebody asks for them. */
export function unpackDigests(digests: readonly PackedDigest[]): FileDigest[] {
  return digests.map((digest) =>
    digest.kind === 'document' ? { ...digest, document: unpackDocument(digest.document) } : digest,
  )
}

function unpackDocument({ path, sha256, rows: packed }: PackedDocument): KnowledgeDocument {
  const rows = openRows(packed)
  return {
    path,
    sha256,
    rows,
    get chunks() {
      return chunksOf(rows)
    },
    get vectors() {
      return vectorsOf(rows)
    },
  }
}
