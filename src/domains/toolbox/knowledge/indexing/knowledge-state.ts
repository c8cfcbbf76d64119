import { lstatSync } from 'node:fs'
import { z } from 'zod'
import { hasPlainFiles, indexPlaceOf } from '../../../../platform/knowledge/index/index-place.ts'
import { SKIP_REASONS } from '../../../../platform/knowledge/walk/index-stamp.ts'
import { readPlainFile } from '../../../../platform/policy/watched-file.ts'
import { isProcessLocked } from '../../process-lock.ts'

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

const PROGRESS_MAX_BYTES = 65_536

const Count = z.int().min(0)

/** What a run of the indexer did, as it is shown. */
export const OutcomeWire = z.strictObject({
  mode: z.enum(['full', 'delta']),
  files: Count,
  embedded: Count,
  chunks: Count,
  removed: Count,
  skipped: z.partialRecord(z.enum(SKIP_REASONS), Count),
  capped: z.boolean(),
  warnings: z.array(z.string()),
  seconds: z.number(),
})
export type OutcomeWire = z.output<typeof OutcomeWire>

const Progress = z.strictObject({
  state: z.enum(['running', 'done', 'failed']),
  updated_at: z.string(),
  mode: z.enum(['full', 'delta']).nullable(),
  files_done: Count,
  files_total: Count.nullable(),
  seconds_left: z.number().nullable(),
  outcome: OutcomeWire.optional(),
  error: z.string().optional(),
})
/** How far the last run of a project's indexer is, or how it ended. */
export type Progress = z.output<typeof Progress>

/** What the file says; undefined where there is none that can be read. */
export function findProgress(path: string): Progress | undefined {
  try {
    return Progress.parse(JSON.parse(readPlainFile(path, PROGRESS_MAX_BYTES).text))
  } catch {
    return undefined
  }
}
