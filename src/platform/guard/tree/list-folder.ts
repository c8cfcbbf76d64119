import { lstatSync } from 'node:fs'
import { fileFault, tryQuietly } from '../faults.ts'
import type { ListedEntry, WalkEnd } from '../guard.ts'
import { at } from '../kernel/descriptors.ts'
import type { OpenScope } from '../open-scope.ts'
import { usePlace } from '../use-place.ts'
import { type MetFolder, walkFolders } from './walk-folders.ts'

const LISTED_MAX = 100_000

/** Lists a folder. Links are shown as links and not followed; what can only be refused is not shown. */
export function listFolder(
  scope: OpenScope,
  given: string,
  { recursive, limit }: { recursive: boolean; limit: number },
): WalkEnd & { entries: ListedEntry[] } {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw fileFault('ValidationError', given, 'the limit on entries is not a number that can be used')
  const most = Math.min(limit, LISTED_MAX)
  const entries: ListedEntry[] = []
  return usePlace(scope, given, 'read', (place) => {
    let full = false
    const { capped, unnameable } = walkFolders(place, recursive, ({ name }, folder) => {
      const entry = describeEntry(folder, name)
      if (entry === undefined) return 'pass_by'
      full = entries.length >= most
      if (!full) entries.push(entry)
      return full ? 'stop' : 'go_on'
    })
    return { entries, capped: capped || full, unnameable }
  })
}

function describeEntry(folder: MetFolder, name: string): ListedEntry | undefined {
  const stat = tryQuietly(() => lstatSync(at(folder.fd, name)))
  if (stat === undefined || stat.dev !== folder.dev) return undefined
  const path = `${folder.prefix}${name}`
  if (stat.isFile()) return { path, kind: 'file', size: stat.size }
  if (stat.isDirectory()) return { path, kind: 'folder', size: 0 }
  return stat.isSymbolicLink() ? { path, kind: 'link', size: 0 } : undefined
}
