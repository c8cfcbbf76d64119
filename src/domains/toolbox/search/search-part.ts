import { isUtf8 } from 'node:buffer'
import type { Guard, WalkedFile } from '../../../platform/guard/guard.ts'
import { claimFile } from './claims.ts'
import { listMatches } from './list-matches.ts'
import type { FoundInText } from './look-through.ts'
import type { PartFindings, SearchedFile, SearchJob } from './search-job.ts'
import { FILE_MAX_BYTES, FILES_LIMIT } from './search-limits.ts'
import { notePlace } from './search-place.ts'

/** Finds what is sought in the text of a file; undefined where there is no match. */
export type Look = (text: Buffer) => FoundInText | undefined

/** Does one part of a search: reads and searches the files that no other part has taken. */
export function searchPart(guard: Guard, look: Look, job: SearchJob): PartFindings {
  const files: SearchedFile[] = []
  const seen = { met: 0, count: 0, files_searched: 0, files_skipped: 0, capped: false }

  function visit(file: WalkedFile): 'go_on' | 'stop' {
    if (seen.met >= FILES_LIMIT || Atomics.load(job.stop, 0) !== 0) return stop()
    seen.met += 1
    if (job.claims && !claimFile(job.claims, file.path)) return 'go_on'
    const bytes = file.read(FILE_MAX_BYTES)
    const text = bytes && findTextBytes(bytes)
    if (text) notePlace(job.place, file.path)
    const found = text && look(text)
    // What is told of a file, be it only that it matches, is told only after it was seen to lie in the scope.
    if (!text || (found && !file.confirm())) seen.files_skipped += 1
    else note(file.path, found)
    return job.match_limit !== undefined && seen.count > job.match_limit ? stop() : 'go_on'
  }

  function note(path: string, found: FoundInText | undefined): void {
    seen.files_searched += 1
    if (!found) return
    const { text, offsets } = found
    const limit = Math.max(0, (job.match_limit ?? 0) - seen.count)
    seen.count += offsets.length / 2
    if (limit > 0) files.push({ path, order: seen.met, matches: listMatches(text, offsets, limit) })
  }

  function stop(): 'stop' {
    seen.capped = true
    return 'stop'
  }

  const { capped, unnameable } = guard.walk(job.path, { recursive: job.recursive }, visit)
  const { count, files_searched, files_skipped } = seen
  return { files, count, files_searched, files_skipped, unnameable, capped: seen.capped || capped }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** The text of a file as it is searched, without a byte order mark; undefined for what is no text. */
export function findTextBytes(bytes: Buffer): Buffer | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  const has_mark = bytes.length >= 3 && bytes.compare(BYTE_ORDER_MARK, 0, 3, 0, 3) === 0
  return has_mark ? bytes.subarray(3) : bytes
}
