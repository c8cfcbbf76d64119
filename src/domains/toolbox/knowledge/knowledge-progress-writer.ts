import { replaceText } from '../../../platform/knowledge/index-place.ts'
import type { Progress } from './knowledge-progress.ts'

const WRITE_EVERY_MS = 250

/** Writes progress now and then, and every other state at once. */
export function progressWriter(path: string, now: () => Date) {
  let written_ms = 0
  return (progress: Omit<Progress, 'updated_at'>) => {
    const at = now()
    if (progress.state === 'running' && at.getTime() - written_ms < WRITE_EVERY_MS) return
    written_ms = at.getTime()
    replaceText(path, `${JSON.stringify({ ...progress, updated_at: at.toISOString() })}\n`)
  }
}
