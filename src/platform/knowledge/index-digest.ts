import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { FileFault, type Guard, GuardDenied } from '../guard/guard.ts'
import { openGuard } from '../guard/open-guard.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import { chunkDocument } from './chunk-document.ts'
import { openEmbedderFor } from './index-backends.ts'
import type { IndexJob } from './index-job.ts'
import { FILE_MAX_BYTES } from './index-limits.ts'
import type { SkipReason } from './index-stamp.ts'
import type { Embedder, KnowledgeDocument } from './knowledge.ts'

/** Files of one folder that are to be looked into. */
export interface DigestBatch {
  /** Relative to the project; empty for the project itself. */
  readonly folder: string
  readonly files: readonly { readonly path: string; readonly known_sha256: string | undefined }[]
}

/** What became of a file: nothing new, left out, or a document for the index. */
export type FileDigest =
  | { readonly kind: 'same'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: SkipReason }
  | { readonly kind: 'document'; readonly path: string; readonly document: KnowledgeDocument }

/** Reads files through the guard and makes documents of them, without secrets. */
export interface Digester {
  digest(batch: DigestBatch): Promise<FileDigest[]>
  close(): void
}

interface Tools {
  readonly guard: Guard
  readonly redactor: Redactor
  readonly embedder: Embedder
}

/** Opens what a run reads a project with; a thread opens one of its own from the same job. */
export function openDigester(job: IndexJob): Digester {
  const { project_root, block_patterns, hard_link_stores, closed_paths } = job
  const guard = openGuard({
    service_root: project_root,
    project_root,
    shared_roots: [],
    closed_paths,
    block_patterns,
    hard_link_stores,
  })
  const { redact_patterns: patterns, environment } = job
  const tools = { guard, redactor: createRedactor({ patterns, environment }), embedder: openEmbedderFor(job) }
  return { digest: (batch) => digestBatch(tools, batch), close: () => guard.close() }
}

async function digestBatch(tools: Tools, batch: DigestBatch): Promise<FileDigest[]> {
  const contents = readFolder(tools.guard, batch)
  const digests: FileDigest[] = []
  for (const { path, known_sha256 } of batch.files)
    digests.push(await digestFile(tools, path, contents.get(path) ?? 'vanished', known_sha256))
  return digests
}

/** What is met in the folder and lies in the scope; the others are gone, or not what they were. */
function readFolder(guard: Guard, { folder, files }: DigestBatch): Map<string, Buffer | 'unreadable'> {
  const wanted = new Set(files.map(({ path }) => path))
  const contents = new Map<string, Buffer | 'unreadable'>()
  try {
    guard.walk(folder === '' ? '.' : folder, { recursive: false }, (file) => {
      if (!wanted.has(file.path)) return 'go_on'
      const bytes = file.read(FILE_MAX_BYTES)
      if (bytes === undefined) contents.set(file.path, 'unreadable')
      else if (file.confirm()) contents.set(file.path, bytes)
      return 'go_on'
    })
  } catch (error) {
    if (!(error instanceof GuardDenied || error instanceof FileFault)) throw error
  }
  return contents
}

async function digestFile(
  { redactor, embedder }: Tools,
  path: string,
  bytes: Buffer | 'unreadable' | 'vanished',
  known_sha256: string | undefined,
): Promise<FileDigest> {
  if (typeof bytes === 'string') return { kind: 'skipped', path, reason: bytes }
  const sha256 = hash('sha256', bytes)
  if (sha256 === known_sha256) return { kind: 'same', path, sha256 }
  if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'skipped', path, reason: 'binary' }
  const chunks = chunkSafely(redactor, path, bytes)
  if (chunks === undefined) return { kind: 'skipped', path, reason: 'failed' }
  const vectors = await embedder.embedChunks(path, chunks)
  return { kind: 'document', path, document: { path, sha256, chunks, vectors } }
}

/** One text that cannot be checked for secrets, or cut, is left out and stops nothing. */
function chunkSafely(redactor: Redactor, path: string, bytes: Buffer) {
  try {
    return chunkDocument(path, redactor.redact(bytes.toString('utf8').replace(/^\ufeff/, '')))
  } catch {
    return undefined
  }
}
