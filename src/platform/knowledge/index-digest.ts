import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { FileFault, type Guard, GuardDenied } from '../guard/guard.ts'
import { openGuard } from '../guard/open-guard.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import { isKeptInFile } from './backend-settings.ts'
import { cutDocument } from './chunk-document.ts'
import { chunksIn } from './cut-document.ts'
import { sharedDigester } from './document-digester.ts'
import { joinVectors, packRows, shareBlocks, type TakeRoom } from './document-rows.ts'
import { openEmbedderFor } from './index-backends.ts'
import { STATIC_EMBEDDER } from './index-form.ts'
import type { IndexJob } from './index-job.ts'
import { FILE_MAX_BYTES } from './index-limits.ts'
import type { PackedDigest } from './index-packed.ts'
import type { SkipReason } from './index-stamp.ts'
import type { Embedder, KnowledgeDocument } from './knowledge.ts'
import type { Redact } from './read-notebook.ts'

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

/** What became of a file that was read: its text is without secrets. */
export type FileText =
  | Exclude<FileDigest, { kind: 'document' }>
  | { readonly kind: 'text'; readonly path: string; readonly sha256: string; readonly bytes: Uint8Array }

/** Reads files through the guard and takes the secrets out of them. */
export interface BatchReader {
  read(batch: DigestBatch): FileText[]
  close(): void
}

/** Cuts texts into chunks and gives these what they are found by. */
export type BatchFinisher = (files: readonly FileText[]) => Promise<PackedDigest[]>

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
  const redactor = openRedactor(job)
  return {
    read: (batch) => batch.flatMap((folder) => readFiles(guard, redactor, folder)),
    close: () => guard.close(),
  }
}

function openRedactor({ redact_patterns: patterns, environment }: IndexJob): Redactor {
  return createRedactor({ patterns, environment })
}

/** Opens what a run cuts and embeds documents with, and makes their words with where the index takes them. */
export function openBatchFinisher(job: IndexJob): BatchFinisher {
  const embedder = openEmbedderFor(job)
  const takes_words = isKeptInFile(job)
  let redactor: Redactor | undefined
  // Few documents have texts that are written in another way.
  const redact = (text: string) => {
    redactor ??= openRedactor(job)
    return redactor.redact(text)
  }
  return async (files) => {
    const digests: PackedDigest[] = []
    const takeRoom = shareBlocks(expectBytes(files))
    for (const file of files)
      digests.push(
        file.kind === 'text' ? await finish({ embedder, takes_words, redact, takeRoom }, file) : file,
      )
    return digests
  }
}

/** What a batch becomes takes up about so many times the bytes of its texts, and a little more for each of them. */
const ROWS_FOR_TEXT = 3
const ROWS_FOR_FILE = 1_024

function expectBytes(files: readonly FileText[]): number {
  return files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? file.bytes.length * ROWS_FOR_TEXT + ROWS_FOR_FILE : 0),
    0,
  )
}

interface FinishTools {
  readonly embedder: Embedder
  readonly takes_words: boolean
  readonly redact: Redact
  readonly takeRoom: TakeRoom
}

async function finish(
  { embedder, takes_words, redact, takeRoom }: FinishTools,
  { path, sha256, bytes }: FileText & { kind: 'text' },
): Promise<PackedDigest> {
  const cut = cutSafely(path, bytes, redact)
  if (cut === undefined) return { kind: 'skipped', path, reason: 'failed' }
  const embeds_here = embedder.id === STATIC_EMBEDDER
  const given = embeds_here ? undefined : joinVectors(await embedder.embedChunks(path, chunksIn(cut)))
  const { words, vectors } = sharedDigester().digest(cut, { words: takes_words, vectors: embeds_here })
  const rows = packRows(cut, vectors ?? given ?? new Int8Array(0), words, takeRoom)
  return { kind: 'document', path, document: { path, sha256, rows } }
}

/** One text that cannot be cut is left out and stops nothing. */
function cutSafely(path: string, bytes: Uint8Array, redact: Redact) {
  try {
    return cutDocument(path, bytes, redact)
  } catch {
    return undefined
  }
}

function readFiles(guard: Guard, redactor: Redactor, folder: FolderFiles): FileText[] {
  const contents = readFolder(guard, folder)
  return folder.files.map(({ path, known_sha256 }) =>
    digestFile(redactor, path, contents.get(path) ?? 'vanished', known_sha256),
  )
}

type Contents = Map<string, Buffer | 'unreadable'>

/** What is met in the folder and lies in the scope; the others are gone, or not what they were. */
function readFolder(guard: Guard, { folder, files, is_large }: FolderFiles): Contents {
  const place = folder === '' ? '.' : folder
  const contents = readPlainFiles(guard, place, files)
  const wanted = new Set(files.map(({ path }) => path).filter((path) => !contents.has(path)))
  if (wanted.size === 0) return contents
  for (const one of is_large ? wanted : [place]) walkInto(guard, one, wanted, contents)
  return contents
}

/** Those of the files that can be read together. */
function readPlainFiles(guard: Guard, place: string, files: FolderFiles['files']): Contents {
  const contents: Contents = new Map()
  const prefix = place === '.' ? '' : `${place}/`
  const names = files.map(({ path }) => path.slice(prefix.length))
  try {
    const found = guard.readTogether(place, names, FILE_MAX_BYTES)
    for (const [name, bytes] of found) contents.set(prefix + name, bytes)
  } catch (error) {
    passOver(error)
  }
  return contents
}

/** What the guard refuses, or fails at, is gone or not what it was. */
function passOver(error: unknown): void {
  if (!(error instanceof GuardDenied || error instanceof FileFault)) throw error
}

function walkInto(guard: Guard, place: string, wanted: ReadonlySet<string>, contents: Contents): void {
  try {
    guard.walk(place, { recursive: false }, (file) => {
      if (!wanted.has(file.path)) return 'go_on'
      const bytes = file.read(FILE_MAX_BYTES)
      if (bytes === undefined) contents.set(file.path, 'unreadable')
      else if (file.confirm()) contents.set(file.path, bytes)
      return 'go_on'
    })
  } catch (error) {
    passOver(error)
  }
}

function digestFile(
  redactor: Redactor,
  path: string,
  bytes: Buffer | 'unreadable' | 'vanished',
  known_sha256: string | undefined,
): FileText {
  if (typeof bytes === 'string') return { kind: 'skipped', path, reason: bytes }
  const sha256 = hash('sha256', bytes)
  if (sha256 === known_sha256) return { kind: 'same', path, sha256 }
  if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'skipped', path, reason: 'binary' }
  const shown = redactSafely(redactor, bytes)
  return shown ? { kind: 'text', path, sha256, bytes: shown } : { kind: 'skipped', path, reason: 'failed' }
}

/** How UTF-8 writes the sign that some programs begin a text with, which is no part of it. */
const SIGN_BEFORE = Buffer.from('\ufeff')

/** One text that cannot be checked for secrets is left out and stops nothing. */
function redactSafely(redactor: Redactor, bytes: Buffer): Uint8Array | undefined {
  try {
    const text = bytes.subarray(0, SIGN_BEFORE.length).equals(SIGN_BEFORE)
      ? bytes.subarray(SIGN_BEFORE.length)
      : bytes
    const shown = redactor.redactBytes(text)
    return shown === text ? bytes : shown
  } catch {
    return undefined
  }
}
