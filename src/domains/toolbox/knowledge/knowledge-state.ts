import { lstatSync } from 'node:fs'
import { hasPlainFiles, indexPlaceOf } from '../../../platform/knowledge/index-place.ts'
import { isProcessLocked } from '../process-lock.ts'
import { findProgress, type Progress } from './knowledge-progress.ts'

/** How a project's index is at this moment. */
export interface IndexState {
  /** Whether all of the project was in it once; only then does a manifest exist. */
  readonly is_complete: boolean
  /** Whether there is anything to be searched. */
  readonly has_index: boolean
  readonly is_running: boolean
  readonly progress: Progress | undefined
  /** Changes with the file of the index, and with the manifest. */
  readonly index_identity: string
  readonly manifest_identity: string
}

/** Looks at the files of a project's index, without opening it. */
export function readIndexState(project_root: string, now: () => Date): IndexState {
  const place = indexPlaceOf(project_root)
  const index_identity = hasPlainFiles(place.index)
    ? identityOf(place.index, ({ ino, dev }) => `${dev}:${ino}`)
    : ''
  // Nothing was ever in an empty file, whatever lies beside it.
  const is_filled = index_identity !== '' && sizeOf(place.index) > 0
  const manifest_identity = identityOf(
    place.manifest,
    ({ ino, mtimeMs, size }) => `${ino}:${mtimeMs}:${size}`,
  )
  return {
    is_complete: is_filled && manifest_identity !== '',
    has_index: index_identity !== '',
    is_running: isProcessLocked(place.lock, now),
    progress: findProgress(place.progress),
    index_identity,
    manifest_identity,
  }
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Empty for what is no plain file. */
function identityOf(path: string, render: (stats: ReturnType<typeof lstatSync> & object) => string): string {
  try {
    const stats = lstatSync(path)
    return stats.isFile() ? render(stats) : ''
  } catch {
    return ''
  }
}
