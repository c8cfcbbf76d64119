import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { FileFault, type Guard, GuardDenied } from '../../guard/guard.ts'
import { openGuard } from '../../guard/open-guard.ts'
import { createRedactor, type Redactor } from '../../redaction/redactor.ts'
import { chunkDocument } from '../chunking/chunk-document.ts'
import type { Chunk } from '../knowledge.ts'
import { FILE_MAX_BYTES, type SkipReason } from '../walk/index-stamp.ts'
import type { IndexJob } from './index-job.ts'
import type { FileBatch, FolderFiles } from './index-plan.ts'

/** What became of a file: nothing new, left out, or cut into chunks. Plain data, which threads hand each other. */
export type ReadFile =
  | { readonly kind: 'same'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: SkipReason }
  | {
      readonly kind: 'cut'
      readonly path: string
      readonly sha256: string
      readonly chunks: readonly Chunk[]
    }

/** Reads files through the guard, takes the secrets out of them and cuts them. */
export interface BatchReader {
  read(batch: FileBatch): ReadFile[]
  close(): void
}

/** Opens what a run reads a project with; a thread opens one of its own from the same job. */
export function openBatchReader(job: IndexJob): BatchReader {
  const { project_root, block_patterns, hard_link_stores, closed_paths, redact_patterns, environment } = job
  const scope = {
    service_root: project_root,
    project_root,
    shared_roots: [],
    closed_paths,
    block_patterns,
    hard_link_stores,
  }
  // Folders are walked, so the kernel's calls for plain paths would be loaded for nothing.
  const guard = openGuard(scope, () => undefined)
  const redactor = createRedactor({ patterns: redact_patterns, environment })
  return {
    read: (batch) => batch.flatMap((folder) => readFiles(guard, redactor, folder)),
    close: () => guard.close(),
  }
}

function readFiles(guard: Guard, redactor: Redactor, folder: FolderFiles): ReadFile[] {
  const contents = readFolder(guard, folder)
  return folder.files.map(({ path, known_sha256 }) =>
    readOne(redactor, path, contents.get(path) ?? 'vanished', known_sha256),
  )
}

type Contents = Map<string, Buffer | 'unreadable'>

/** What is met in the folder and lies in the scope; the others are gone, or not what they were. */
function readFolder(guard: Guard, { folder, files, is_large }: FolderFiles): Contents {
  const contents: Contents = new Map()
  const wanted = new Set(files.map(({ path }) => path))
  // Of a large folder only some files are in one batch.
  for (const one of is_large ? wanted : [folder === '' ? '.' : folder]) walkInto(guard, one, wanted, contents)
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

function readOne(
  redactor: Redactor,
  path: string,
  bytes: Buffer | 'unreadable' | 'vanished',
  known_sha256: string | undefined,
): ReadFile {
  if (typeof bytes === 'string') return { kind: 'skipped', path, reason: bytes }
  const sha256 = hash('sha256', bytes)
  if (sha256 === known_sha256) return { kind: 'same', path, sha256 }
  if (bytes.includes(0) || !isUtf8(bytes)) return { kind: 'skipped', path, reason: 'binary' }
  const chunks = cutSafely(redactor, path, bytes.toString().replace(BYTE_ORDER_MARK, ''))
  return chunks ? { kind: 'cut', path, sha256, chunks } : { kind: 'skipped', path, reason: 'failed' }
}

const BYTE_ORDER_MARK = /^\ufeff/

/** One text that cannot be checked for secrets, or not be cut, is left out and stops nothing. */
function cutSafely(redactor: Redactor, path: string, text: string): Chunk[] | undefined {
  try {
    return chunkDocument(path, redactor.redact(text), (inner) => redactor.redact(inner))
  } catch {
    return undefined
  }
}
