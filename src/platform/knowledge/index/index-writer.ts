import type { Embedder, KnowledgeDocument, KnowledgeStore } from '../knowledge.ts'
import { isSettled, type MetFile, PASSING, type SkipReason } from '../walk/index-stamp.ts'
import type { IndexLedger, KnownFile } from './index-ledger.ts'
import type { ReadFile } from './index-read.ts'

/** Chunks that are put into the index at once: many, for each commit has its price; not all, for a run may be killed. */
const COMMIT_CHUNKS = 6_000

/** Puts documents into the index, and what was learnt of the files into the ledger after it. */
export interface RunWriter {
  take(files: readonly ReadFile[]): Promise<void>
  remove(paths: readonly string[]): Promise<void>
  /** Writes what is left; to be called last. */
  finish(): Promise<void>
  /** Changes of the manifest: a sha256, or undefined for a path that is out. */
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
export function openRunWriter(parts: Parts): RunWriter {
  const { store, ledger, embedder } = parts
  const changes = new Map<string, string | undefined>()
  const counts = { embedded: 0, chunks: 0, removed: 0, taken: 0 }
  const skipped: { path: string; reason: SkipReason }[] = []
  let documents: KnowledgeDocument[] = []
  let rows: KnownFile[] = []
  let waiting_chunks = 0
  let last = Promise.resolve()

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

  async function note(file: ReadFile): Promise<void> {
    counts.taken += 1
    rows.push(toKnown(parts, file))
    if (file.kind === 'skipped') skipped.push({ path: file.path, reason: file.reason })
    if (file.kind !== 'cut') return
    const { path, sha256, chunks } = file
    documents.push({ path, sha256, chunks, vectors: await embedder.embedChunks(path, chunks) })
    waiting_chunks += chunks.length
    counts.embedded += 1
    counts.chunks += chunks.length
  }

  return {
    changes,
    counts,
    skipped,
    remove,
    take(files) {
      // One after the other: several threads hand their files over.
      last = last.then(async () => {
        for (const file of files) await note(file)
        if (waiting_chunks >= COMMIT_CHUNKS) await commit()
      })
      return last
    },
    async finish() {
      await last
      await commit()
    },
  }
}

function toKnown({ met, looked_at_ms }: Parts, file: ReadFile): KnownFile {
  const { path } = file
  const stamp = met.get(path)?.stamp
  const reason = file.kind === 'skipped' ? file.reason : undefined
  const counts = stamp && isSettled(stamp, looked_at_ms) && !(reason && PASSING.has(reason))
  return {
    path,
    stamp: counts ? stamp : undefined,
    sha256: file.kind === 'skipped' ? undefined : file.sha256,
    skipped: reason,
  }
}
