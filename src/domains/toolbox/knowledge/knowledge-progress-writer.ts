import { replaceText } from '../../../platform/knowledge/index-place.ts'
import type { Progress } from './knowledge-progress.ts'

const WRITE_EVERY_MS = 250

/** Writes progress now and then; every other state, and how many files there are, at once. */
export function progressWriter(path: string, now: () => Date) {
  let written_ms = 0
  let written_total: number | null | undefined
  return (progress: Omit<Progress, 'updated_at'>) => {
    const at = now()
    const is_news = progress.state !== 'running' || progress.files_total !== written_total
    if (!is_news && at.getTime() - written_ms < WRITE_EVERY_MS) return
    written_ms = at.getTime()
    written_total = progress.files_total
    replaceText(path, `${JSON.stringify({ ...progress, updated_at: at.toISOString() })}\n`)
  }
}
