import { findGlance, isAsBefore } from '../walk/index-glance.ts'
import { walkRulesOf } from '../walk/index-walk.ts'
import { type IndexJob, type IndexOutcome, type RunTools, secondsSince } from './index-job.ts'
import { ensureIndexFolder, indexPlaceOf } from './index-place.ts'

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
  const { updateIndex } = await import('./index-update.ts')
  return updateIndex(job, tools, started)
}
