import { FileFault, type Guard } from '../../../platform/guard/guard.ts'

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
