import type { FileDigest } from './index-digest.ts'

/** Digests on their way between threads: one block for all vectors, which is handed over and not copied. */
export interface PackedDigests {
  readonly digests: readonly FileDigest[]
  readonly vectors: Int8Array<ArrayBuffer>
}

/** Takes the vectors out of the documents. */
export function packDigests(digests: readonly FileDigest[]): PackedDigests {
  const all = digests.flatMap((digest) => (digest.kind === 'document' ? digest.document.vectors : []))
  const vectors = new Int8Array(all.reduce((sum, { length }) => sum + length, 0))
  let from = 0
  for (const vector of all) {
    vectors.set(vector, from)
    from += vector.length
  }
  return { digests: digests.map((digest) => withVectors(digest, () => [])), vectors }
}

/** Puts the vectors back. */
export function unpackDigests({ digests, vectors }: PackedDigests): FileDigest[] {
  const chunks = digests.reduce(
    (sum, one) => sum + (one.kind === 'document' ? one.document.chunks.length : 0),
    0,
  )
  const dimensions = chunks === 0 ? 0 : vectors.length / chunks
  let from = 0
  const next = () => {
    from += dimensions
    return vectors.subarray(from - dimensions, from)
  }
  return digests.map((digest) => withVectors(digest, (count) => Array.from({ length: count }, next)))
}

function withVectors(digest: FileDigest, take: (count: number) => Int8Array[]): FileDigest {
  if (digest.kind !== 'document') return digest
  const { document } = digest
  return { ...digest, document: { ...document, vectors: take(document.chunks.length) } }
}
