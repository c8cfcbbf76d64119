import type { SearchedFile } from './search-job.ts'
import { ANSWER_MAX_BYTES, MATCH_LIMIT } from './search-limits.ts'

export interface ShownMatch {
  file: string
  line: number
  column: number
  content: string
}

/** The matches as an agent sees them, as many as fit into an answer. */
export function showMatches(files: readonly SearchedFile[]): ShownMatch[] {
  const shown: ShownMatch[] = []
  let bytes = 0
  for (const { path, matches } of files)
    for (const match of matches) {
      bytes += Buffer.byteLength(path) + Buffer.byteLength(match.content)
      if (shown.length >= MATCH_LIMIT || bytes > ANSWER_MAX_BYTES) return shown
      shown.push({ file: path, ...match })
    }
  return shown
}
