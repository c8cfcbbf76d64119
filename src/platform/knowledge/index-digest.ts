import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { FileFault, type Guard, GuardDenied } from '../guard/guard.ts'
import { openGuard } from '../guard/open-guard.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import { isKeptInFile } from './backend-settings.ts'
import { chunkDocument } from './chunk-document.ts'
import { sharedDigester } from './document-digester.ts'
import { openEmbedderFor } from './index-backends.ts'
import type { IndexJob } from './index-job.ts'
import { FILE_MAX_BYTES } from './index-limits.ts'
import type { SkipReason } from './index-stamp.ts'
import type { Embedder, KnowledgeDocument } from './knowledge.ts'

/** Files that are to be looked into, by folder. */
export type DigestBatch = readonly FolderFiles[]

/** Files of one folder. */
export interface FolderFiles {
  /** Relative to the project; empty for the project itself. */
  readonly folder: string
  /** Whether so many files of it are to be looked into that it is not gone through anew for each few of them. */
  readonly is_large: boolean
  readonly files: readonly { readonly path: string; readonly known_sha256: string | undefined }[]
}

/** What became of a file: nothing new, left out, or a document for the index. */
export type FileDigest =
  | { readonly kind: 'same'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: SkipReason }
  | { readonly kind: 'document'; readonly path: string; readonly document: KnowledgeDocument }

/** Reads files through the guard and cuts them, without secrets; the documents have no vectors yet. */
export interface BatchReader {
  read(batch: DigestBatch): FileDigest[]
  close(): void
}

/** Gives documents what they are found by. */
export type BatchFinisher = (digests: readonly FileDigest[]) => Promise<FileDigest[]>

/** Opens what a run reads a project with; a thread opens one of its own from the same job. */
export function openBatchReader(job: IndexJob): BatchReader {
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
  const redactor = createRedactor({ patterns, environment })
  return {
    read: (batch) => batch.flatMap((folder) => readFiles(guard, redactor, folder)),
    close: () => guard.close(),
  }
}

/** Opens what a run embeds documents with, and makes their words with where the index takes them. */
export function openBatchFinisher(job: IndexJob): BatchFinisher {
  const embedder = openEmbedderFor(job)
  const takes_words = isKeptInFile(job)
  return async (digests) => {
    const finished: FileDigest[] = []
    for (const digest of digests)
      finished.push(digest.kind === 'document' ? await finish(embedder, takes_words, digest) : digest)
    return finished
  }
}

async function finish(embedder: Embedder, takes_words: boolean, digest: FileDigest & { kind: 'document' }) {
  const { path, chunks } = digest.document
  const words = takes_words ? { words: sharedDigester().renderWords(path, chunks) } : {}
  const vectors = await embedder.embedChunks(path, chunks)
  return { ...digest, document: { ...digest.document, ...words, vectors } }
}

function readFiles(guard: Guard, redactor: Redactor, folder: FolderFiles): FileDigest[] {
  const contents = readFolder(guard, folder)
  return folder.files.map(({ path, known_sha256 }) =>
    digestFile(redactor, path, contents.get(path) ?? 'vanished', known_sha256),
  )
}

/** What is met in the folder and lies in the scope; the others are gone, or not what they were. */
function readFolder(
  guard: Guard,
  { folder, files, is_large }: FolderFiles,
): Map<string, Buffer | 'unreadable'> {
  const wanted = new Set(files.map(({ path }) => path))
  const contents = new Map<string, Buffer | 'unreadable'>()
  for (const place of is_large ? wanted : [folder === '' ? '.' : folder])
    walkInto(guard, place, wanted, contents)
  return contents
}

function walkInto(
  guard: Guard,
  place: string,
  wanted: ReadonlySet<string>,
  contents: Map<string, Buffer | 'unreadable'>,
): void {
  try {
    guard.walk(place, { recursive: false }, (file) => {
      if (!wanted.has(file.path)) return 'go_on'
      const bytes = file.read(FILE_MAX_BYTES)
      if (bytes === undefined) contents.set(file.path, 'unreadable')
      else if (file.confirm()) contents.set(file.path, bytes)
      return 'go_on'
    })
  } catch (error) {
    if (!(error instanceof GuardDenied || error instanceof FileFault)) throw error
  }
}

function digestFile(
  redactor: Redactor,
  path: string,
  bytes: Buffer | 'unreadable' | 'vanished',
  known_sha256: string | undefined,
): FileDigest {
  if (typeof bytes === 'string') return { kind: 'skipped', path, reason: bytes }
  const sha256 = hash('sha256', bytes)
  if (sha256 === known_sha256) return { kind: 'same', path, sha256 }
  if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'skipped', path, reason: 'binary' }
  const chunks = chunkSafely(redactor, path, bytes)
  if (chunks === undefined) return { kind: 'skipped', path, reason: 'failed' }
  return { kind: 'document', path, document: { path, sha256, chunks, vectors: [] } }
}

/** One text that cannot be checked for secrets, or cut, is left out and stops nothing. */
function chunkSafely(redactor: Redactor, path: string, bytes: Buffer) {
  try {
    const redact = (text: string) => redactor.redact(text)
    return chunkDocument(path, redact(bytes.toString('utf8').replace(/^\ufeff/, '')), redact)
  } catch {
    return undefined
  }
}
