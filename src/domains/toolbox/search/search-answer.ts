import { FileFault, type Guard } from '../../../platform/guard/guard.ts'
import { decodeText } from '../loom/decode-text.ts'
import { ToolFault } from '../tool-fault.ts'
import type { PartFindings, SearchedFile } from './search-job.ts'
import { ANSWER_MAX_BYTES, FILE_MAX_BYTES, MATCH_LIMIT } from './search-limits.ts'

/**
 * Files that cannot be searched are passed over in a folder. One that was named itself is a fault, as it is for
 * every other tool: an answer without matches would say that there are none.
 */
export function requireText(guard: Guard, path: string, found: PartFindings): void {
  const { files_searched, files_skipped, unnameable } = found
  if (files_searched > 0 || files_skipped !== 1 || unnameable > 0) return
  const file = readNamed(guard, path)
  if (file) decodeText(file.bytes, path)
}

/** Nothing for a folder, which may have just one file that was passed over. */
function readNamed(guard: Guard, path: string) {
  try {
    return guard.readFile(path, FILE_MAX_BYTES)
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    if (error.code === 'IsADirectory') return undefined
    if (error.code !== 'FileTooLarge') throw error
    throw new ToolFault('FileTooLarge', error.message, `No file over ${FILE_MAX_BYTES} bytes is searched.`)
  }
}

const LOOKED_AT = 500

/** Says that folders were left alone, where nothing was found beside them; a caller may not think of it. */
export function noteNotEntered(
  guard: Guard,
  { path, recursive }: { path: string; recursive: boolean },
  count: number,
): { note?: string } {
  if (recursive || count > 0 || !hasFolders(guard, path)) return {}
  return { note: 'The folders in it were not searched: set recursive to true for that.' }
}

function hasFolders(guard: Guard, path: string): boolean {
  try {
    const { entries } = guard.list(path, { recursive: false, limit: LOOKED_AT })
    return entries.some(({ kind }) => kind === 'folder')
  } catch (error) {
    // A single file, or a folder that is gone by now.
    if (error instanceof FileFault) return false
    throw error
  }
}

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
