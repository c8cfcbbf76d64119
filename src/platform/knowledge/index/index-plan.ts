import { isSameStamp, type MetFile } from '../walk/index-stamp.ts'
import type { KnownFile } from './index-ledger.ts'

/** Files of one batch, and bytes of them. */
const BATCH_FILES = 128
const BATCH_BYTES = 524_288
/** To go through a folder of so many for each batch takes longer than to find its files one by one. */
const LARGE_FOLDER_FILES = 1_000

/** Files that are to be read together, by folder. */
export type FileBatch = readonly FolderFiles[]

/** Files of one folder. */
export interface FolderFiles {
  /** Relative to the project; empty for the project itself. */
  readonly folder: string
  /** Whether so many files of it are to be read that it is not listed anew for each few of them. */
  readonly is_large: boolean
  readonly files: readonly { readonly path: string; readonly known_sha256: string | undefined }[]
}

/** What is known from before: the stamps of files, and what is in the index. */
export interface Known {
  readonly files: ReadonlyMap<string, KnownFile>
  /** Path to sha256. */
  readonly documents: ReadonlyMap<string, string>
}

/** What a run has to do about the files it met. */
export interface IndexPlan {
  /** To be read. */
  readonly todo: readonly MetFile[]
  /** Left out for what they are, known as such or not. */
  readonly skipped: readonly MetFile[]
  /** Left out after they were read, and the same since. */
  readonly still_skipped: readonly KnownFile[]
  /** In the index, and the same since. */
  readonly unchanged: number
  /** In the index or known, and not to be there any more. */
  readonly gone: readonly string[]
}

/** Compares what was met with what is known; without trust in the stamps, every file is read. */
export function planRun(
  met: readonly MetFile[],
  { files, documents }: Known,
  trusts_stamps: boolean,
): IndexPlan {
  const [todo, skipped, still_skipped]: [MetFile[], MetFile[], KnownFile[]] = [[], [], []]
  const present = new Set<string>()
  let unchanged = 0
  for (const file of met) {
    const known = files.get(file.path)
    if (file.skip !== undefined) skipped.push(file)
    else {
      present.add(file.path)
      if (!trusts_stamps || !known || !isSameStamp(known.stamp, file.stamp)) todo.push(file)
      else if (known.skipped !== undefined) still_skipped.push(known)
      else if (known.sha256 !== undefined && documents.get(file.path) === known.sha256) unchanged += 1
      else todo.push(file)
    }
  }
  const gone = findGone(present, files.keys())
  for (const path of findGone(present, documents.keys())) if (!files.has(path)) gone.push(path)
  return { todo, skipped, still_skipped, unchanged, gone }
}

function findGone(present: ReadonlySet<string>, paths: Iterable<string>): string[] {
  const gone: string[] = []
  for (const path of paths) if (!present.has(path)) gone.push(path)
  return gone
}

/** Batches of files, those of one folder together. */
export function makeBatches(todo: readonly MetFile[], documents: ReadonlyMap<string, string>): FileBatch[] {
  const batches: FileBatch[] = []
  const sizes = countByFolder(todo)
  let folders: (FolderFiles & { files: FolderFiles['files'][number][] })[] = []
  let [files, bytes] = [BATCH_FILES, 0]
  for (const { path, stamp } of todo) {
    if (files >= BATCH_FILES || bytes >= BATCH_BYTES) {
      folders = []
      batches.push(folders)
      ;[files, bytes] = [0, 0]
    }
    const folder = folderOf(path)
    const is_large = (sizes.get(folder) ?? 0) >= LARGE_FOLDER_FILES
    if (folders.at(-1)?.folder !== folder) folders.push({ folder, is_large, files: [] })
    folders.at(-1)?.files.push({ path, known_sha256: documents.get(path) })
    files += 1
    bytes += stamp.size
  }
  return batches
}

function countByFolder(files: readonly MetFile[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of files) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1)
  return counts
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
