import type { FileDigest } from './index-digest.ts'
import type { IndexLedger, KnownFile } from './index-ledger.ts'
import { isSettled, type MetFile, PASSING, type SkipReason } from './index-stamp.ts'
import type { Embedder, KnowledgeDocument, KnowledgeStore } from './knowledge.ts'

/** Pieces that are put into the index at once: many, for each commit has its price; not all, for a run may be killed. */
const COMMIT_CHUNKS = 6_000

/** Puts digests into the index, and what was learnt of the files into the ledger after it. */
export interface IndexWriter {
  take(digests: readonly FileDigest[]): Promise<void>
  remove(paths: readonly string[]): Promise<void>
  /** Writes what is left; to be called last. */
  finish(): Promise<void>
  /** Changes of the manifest: a sha256, or nothing for a path that is out. */
  readonly changes: ReadonlyMap<string, string | undefined>
  readonly counts: { embedded: number; chunks: number; removed: number; taken: number }
  readonly skipped: readonly { path: string; reason: SkipReason }[]
}

interface Parts {
  readonly store: KnowledgeStore
  readonly ledger: IndexLedger
  readonly embedder: Embedder
  /** What is in the index before the run. */
  readonly isIn: (path: string) => boolean
  readonly met: ReadonlyMap<string, MetFile>
  readonly looked_at_ms: number
}

/** Opens a writer for one run. The ledger follows the store, so it never knows of more than is in. */
export function openIndexWriter(parts: Parts): IndexWriter {
  const { store, ledger, embedder } = parts
  const changes = new Map<string, string | undefined>()
  const counts = { embedded: 0, chunks: 0, removed: 0, taken: 0 }
  const skipped: { path: string; reason: SkipReason }[] = []
  let documents: KnowledgeDocument[] = []
  let rows: KnownFile[] = []
  let waiting_chunks = 0
  let turn = Promise.resolve()

  async function remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return
    ledger.remove(paths)
    const left = paths.filter(parts.isIn)
    await store.removeDocuments(left)
    for (const path of left) changes.set(path, undefined)
    counts.removed += left.length
  }

  async function commit(): Promise<void> {
    const [batch, learnt] = [documents, rows]
    ;[documents, rows, waiting_chunks] = [[], [], 0]
    if (batch.length > 0) await store.replaceDocuments(embedder, batch)
    for (const { path, sha256 } of batch) changes.set(path, sha256)
    await remove(learnt.flatMap(({ path, skipped: reason }) => (reason && parts.isIn(path) ? [path] : [])))
    if (learnt.length > 0) ledger.put(learnt)
  }

  function note(digest: FileDigest): void {
    counts.taken += 1
    rows.push(toKnown(parts, digest))
    if (digest.kind === 'skipped') skipped.push({ path: digest.path, reason: digest.reason })
    if (digest.kind !== 'document') return
    documents.push(digest.document)
    const chunks = digest.document.rows?.count ?? digest.document.chunks.length
    waiting_chunks += chunks
    counts.embedded += 1
    counts.chunks += chunks
  }

  return {
    changes,
    counts,
    skipped,
    remove,
    take(digests) {
      turn = turn.then(async () => {
        for (const digest of digests) note(digest)
        if (waiting_chunks >= COMMIT_CHUNKS) await commit()
      })
      return turn
    },
    async finish() {
      await turn
      await commit()
    },
  }
}

function toKnown({ met, looked_at_ms }: Parts, digest: FileDigest): KnownFile {
  const { path } = digest
  const stamp = met.get(path)?.stamp
  const reason = digest.kind === 'skipped' ? digest.reason : undefined
  const counts = stamp && isSettled(stamp, looked_at_ms) && !(reason && PASSING.has(reason))
  const sha256 = digest.kind === 'document' ? digest.document.sha256 : undefined
  return {
    path,
    stamp: counts ? stamp : undefined,
    sha256: digest.kind === 'same' ? digest.sha256 : sha256,
    skipped: reason,
  }
}
