import type { DigestBatch } from './index-digest.ts'
import { THREADS_FROM_FILES } from './index-limits.ts'
import { makeBatches } from './index-plan.ts'
import type { MetFile } from './index-stamp.ts'

const NOTHING_KNOWN: ReadonlyMap<string, string> = new Map()

/** Files of a new index that are begun with while others are still looked for. */
export interface HeadStart {
  /** What was begun with. */
  readonly begun: ReadonlySet<string>
  meet(file: MetFile): void
}

/** Begins with files as they are met, until there is no room for more. */
export function openHeadStart(begin: (batch: DigestBatch) => boolean): HeadStart {
  const begun = new Set<string>()
  let waiting: MetFile[] = []
  let is_over = false
  return {
    begun,
    meet(file) {
      if (is_over) return
      waiting.push(file)
      if (waiting.length < THREADS_FROM_FILES) return
      for (const batch of makeBatches(waiting, NOTHING_KNOWN)) {
        is_over ||= !begin(batch)
        if (!is_over) for (const { files } of batch) for (const { path } of files) begun.add(path)
      }
      waiting = []
    },
  }
}
