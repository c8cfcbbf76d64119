import type { Context, Effect } from '../../../operations/define-operation.ts'
import type { OnProgress } from '../../../platform/upstream/mcp/progress.ts'

type Asking = Pick<Context<unknown, never, Effect>, 'hub' | 'progress' | 'isProgressWanted'>

/**
 * Hands on how far the tool says it has come, where the caller wants to hear of it: its words without secrets, and only what
 * is more than before. While one note is looked through, those that come are left out: a server sets no pace here.
 */
export function passProgress(
  { hub, progress, isProgressWanted }: Asking,
  exceptions: readonly string[] = [],
) {
  let latest = Number.NEGATIVE_INFINITY
  let is_busy = false
  let is_over = false
  const pass: OnProgress = async (note) => {
    if (is_busy || is_over || note.progress <= latest) return
    is_busy = true
    try {
      const message =
        note.message === undefined ? undefined : String(await hub.redactValue(note.message, [...exceptions]))
      if (is_over) return
      latest = note.progress
      progress(note.progress, note.total, message)
    } catch {
      // What cannot be looked through is not passed on.
    } finally {
      is_busy = false
    }
  }
  return { onProgress: isProgressWanted ? pass : undefined, end: () => void (is_over = true) }
}
