import type { Guard, WalkedFile } from '../../../platform/guard/guard.ts'
import { claimFile } from './claims.ts'
import { listPassages } from './list-passages.ts'
import type { PartFindings, SearchedFile, SearchJob } from './search-job.ts'
import { FILE_MAX_BYTES, FILES_LIMIT } from './search-limits.ts'
import { findTextBytes } from './text-bytes.ts'

/** Offsets of all matches in a text, in bytes; start and end in turn. */
export type FindAll = (pattern: string, text: Uint8Array) => readonly number[]

/** Does one part of a search: reads and searches the files that no other part has taken. */
export function searchPart(guard: Guard, findAll: FindAll, job: SearchJob): PartFindings {
  const files: SearchedFile[] = []
  const seen = { met: 0, count: 0, files_searched: 0, files_skipped: 0, capped: false }

  function visit(file: WalkedFile): 'go_on' | 'stop' {
    if (seen.met >= FILES_LIMIT || Atomics.load(job.stop, 0) !== 0) return stop()
    seen.met += 1
    if (job.claims && !claimFile(job.claims, file.path)) return 'go_on'
    const bytes = file.read(FILE_MAX_BYTES)
    const text = bytes && findTextBytes(bytes)
    const offsets = text && findAll(job.pattern, text)
    // What is told of a file, be it only that it matches, is told only after it was seen to lie in the scope.
    if (!text || !offsets || (offsets.length > 0 && !file.confirm())) seen.files_skipped += 1
    else note(file.path, text, offsets)
    return job.match_limit !== undefined && seen.count > job.match_limit ? stop() : 'go_on'
  }

  function note(path: string, text: Buffer, offsets: readonly number[]): void {
    seen.files_searched += 1
    if (offsets.length === 0) return
    const limit = Math.max(0, (job.match_limit ?? 0) - seen.count)
    seen.count += offsets.length / 2
    if (limit > 0) files.push({ path, order: seen.met, passages: listPassages(text, offsets, limit) })
  }

  function stop(): 'stop' {
    seen.capped = true
    return 'stop'
  }

  const { capped } = guard.walk(job.path, { recursive: job.recursive }, visit)
  const { count, files_searched, files_skipped } = seen
  return { files, count, files_searched, files_skipped, capped: seen.capped || capped }
}
