import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { FileFault, type Guard, GuardDenied } from '../guard/guard.ts'
import { openGuard } from '../guard/open-guard.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import type { DigestBatch, FileText, FolderFiles } from './index-digest.ts'
import type { IndexJob } from './index-job.ts'
import { FILE_MAX_BYTES } from './index-limits.ts'

/** Reads files through the guard and takes the secrets out of them. */
export interface BatchReader {
  read(batch: DigestBatch): FileText[]
  close(): void
}

/** Opens what a run reads a project with; a thread opens one of its own from the same job. */
export function openBatchReader(job: IndexJob): BatchReader {
  const { project_root, block_patterns, hard_link_stores, closed_paths, redact_patterns, environment } = job
  const guard = openGuard({
    service_root: project_root,
    project_root,
    shared_roots: [],
    closed_paths,
    block_patterns,
    hard_link_stores,
  })
  const redactor = createRedactor({ patterns: redact_patterns, environment })
  return {
    read: (batch) => batch.flatMap((folder) => readFiles(guard, redactor, folder)),
    close: () => guard.close(),
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
