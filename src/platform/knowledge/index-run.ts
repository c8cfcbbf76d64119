import { existsSync } from 'node:fs'
import { isKeptInFile } from './backend-settings.ts'
import { findGlance, isAsBefore } from './index-glance.ts'
import { type IndexJob, type IndexOutcome, type RunTools, secondsSince } from './index-job.ts'
import { THREADS_FROM_FILES } from './index-limits.ts'
import { ensureIndexFolder, type IndexPlace, indexPlaceOf } from './index-place.ts'
import { hasFiles, walkRulesOf } from './index-walk.ts'
import { startPairs } from './thread-pair.ts'

/**
 * Brings a project's index up to the project as it is. One run at a time: whoever calls holds the lock. Mostly
 * there is nothing to do: that is found out before the parts that could do it are loaded.
 */
export async function runIndex(job: IndexJob, tools: RunTools): Promise<IndexOutcome> {
  const started = tools.now()
  const place = indexPlaceOf(job.project_root)
  ensureIndexFolder(place)
  const glance = findGlance(job, place)
  if (glance && isAsBefore(glance, walkRulesOf(job))) {
    const { files, skipped, capped } = glance
    const nothing = { mode: 'delta', embedded: 0, chunks: 0, removed: 0, warnings: [] } as const
    return { ...nothing, files, skipped, capped, seconds: secondsSince(started, tools) }
  }
  const threads = isNewAndLarge(job, place) ? startPairs(job) : undefined
  const { updateIndex } = await import('./index-update.ts')
  return updateIndex(job, tools, started, threads)
}

/** Where there are threads to be started, they are ready by the time that there is something for them to do. */
function isNewAndLarge(job: IndexJob, { index }: IndexPlace): boolean {
  return isKeptInFile(job) && !existsSync(index) && hasFiles(walkRulesOf(job), THREADS_FROM_FILES)
}
