import { closeSync, fstatSync, openSync } from 'node:fs'
import { isStillItself } from '../barrier.ts'
import { tryQuietly } from '../faults.ts'
import type { WalkEnd, WalkedFile } from '../guard.ts'
import { at, READ_NAME } from '../kernel/descriptors.ts'
import { isInStore, type OpenScope, renderPlace } from '../open-scope.ts'
import { readUpTo } from '../read-held-file.ts'
import { folderPathOf, requireFile, requireLeaf, usePlace } from '../use-place.ts'
import { type MetFolder, walkFolders } from './walk-folders.ts'

type Visit = (file: WalkedFile) => 'go_on' | 'stop'
type FileFolder = Omit<MetFolder, 'prefix' | 'depth'>

/** Visits the files below a folder, or the one file that a path leads to. */
export function walkFiles(
  scope: OpenScope,
  given: string,
  { recursive }: { recursive: boolean },
  visit: Visit,
): WalkEnd {
  return usePlace(scope, given, 'read', (place) => {
    if (requireLeaf(place).stat.isDirectory())
      return walkFolders(place, recursive, (entry, folder) => {
        if (!entry.isFile()) return 'go_on'
        return visitFile(scope, folder, entry.name, folder.prefix + entry.name, visit)
      })
    const { stat } = requireFile(place)
    const { folder_fd: fd, root, names } = place
    const folder = { fd, path: folderPathOf(place), root_path: root.path, dev: Number(stat.dev) }
    visitFile(scope, folder, names.at(-1) ?? '', renderPlace(scope, root, names), visit)
    return { capped: false, unnameable: 0 }
  })
}

function visitFile(scope: OpenScope, folder: FileFolder, name: string, path: string, visit: Visit) {
  let fd: number | undefined
  let changed_at = 0
  let is_over = false
  const may_have_names = isInStore(scope, () => `${folder.path}/${name}`)
  const close = (): void => {
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }
  const openAndRead = (max_bytes: number): Buffer | undefined => {
    fd = openSync(at(folder.fd, name), READ_NAME)
    const stat = fstatSync(fd)
    changed_at = stat.ctimeMs
    const fits = stat.isFile() && stat.dev === folder.dev && stat.size <= max_bytes
    return fits && (stat.nlink === 1 || may_have_names) ? readUpTo(fd, stat.size, max_bytes) : undefined
  }
  const read = (max_bytes: number): Buffer | undefined => {
    // The folder's number may be another folder's by then.
    if (is_over) throw new Error('the visit is over')
    close()
    return tryQuietly(() => openAndRead(max_bytes))
  }
  const confirm = (): boolean => {
    if (fd === undefined) return false
    const { fd: folder_fd, path: folder_path, root_path } = folder
    const seen = { folder_fd, folder_path, root_path, name, fd, changed_at, may_have_names }
    return tryQuietly(() => isStillItself(seen)) ?? false
  }
  try {
    return visit({ path, read, confirm })
  } finally {
    close()
    is_over = true
  }
}
