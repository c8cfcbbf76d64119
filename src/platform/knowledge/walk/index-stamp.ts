import type { Stats } from 'node:fs'

/** Larger files are not indexed: they are data, or made by a program. */
export const FILE_MAX_BYTES = 1_048_576
/** Changes below this age are within the grain of some file system's clock: another one may not show. */
const SETTLED_AFTER_MS = 2_000

/** Why a file is not in the index. */
export const SKIP_REASONS = [
  'link',
  'special_file',
  'hard_link',
  'other_device',
  'too_large',
  'binary',
  'unreadable',
  'vanished',
  'failed',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]
/** Those may pass: the file is looked into again next time. */
export const PASSING: ReadonlySet<SkipReason> = new Set(['unreadable', 'vanished', 'failed'])

/** What tells a file from what it was before, without reading it. */
export interface FileStamp {
  readonly size: number
  readonly mtime_ms: number
  readonly ctime_ms: number
  readonly ino: number
}

/** A file that was met, as far as its name and its stamp tell. */
export interface MetFile {
  /** Relative to the project. */
  readonly path: string
  readonly stamp: FileStamp
  /** Set where the stamp alone says that it will not be read. */
  readonly skip: SkipReason | undefined
}

export function stampOf(stat: Stats): FileStamp {
  return { size: stat.size, mtime_ms: stat.mtimeMs, ctime_ms: stat.ctimeMs, ino: stat.ino }
}

/** Why a file is not to be read, by its own entry in the folder: links are not followed. */
export function findSkip(stat: Stats, dev: number, may_have_names: boolean): SkipReason | undefined {
  if (stat.isSymbolicLink()) return 'link'
  if (!stat.isFile()) return 'special_file'
  if (stat.dev !== dev) return 'other_device'
  if (stat.nlink > 1 && !may_have_names) return 'hard_link'
  return stat.size > FILE_MAX_BYTES ? 'too_large' : undefined
}

/** Whether a file still looks as it did. */
export function isSameStamp(known: FileStamp | undefined, now: FileStamp): boolean {
  return (
    known !== undefined &&
    known.size === now.size &&
    known.mtime_ms === now.mtime_ms &&
    known.ctime_ms === now.ctime_ms &&
    known.ino === now.ino
  )
}

/** A change right after this one could leave the same stamp; then the stamp proves nothing the next time. */
export function isSettled({ mtime_ms, ctime_ms }: FileStamp, looked_at_ms: number): boolean {
  return Math.max(mtime_ms, ctime_ms) < looked_at_ms - SETTLED_AFTER_MS
}
