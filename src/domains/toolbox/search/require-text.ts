import { FileFault, type Guard } from '../../../platform/guard/guard.ts'
import { decodeText } from '../loom/decode-text.ts'
import { ToolFault } from '../tool-fault.ts'
import type { PartFindings } from './search-job.ts'
import { FILE_MAX_BYTES } from './search-limits.ts'

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
