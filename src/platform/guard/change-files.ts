import { isUnmoved } from './barrier.ts'
import { putFile, type WriteInto } from './drafts/write-held-file.ts'
import { fileFault } from './faults.ts'
import { type FileRights, GuardDenied } from './guard.ts'
import { readAttributes } from './kernel/file-attributes.ts'
import { unlinkIn } from './kernel/folder-calls.ts'
import { makeFolders } from './make-folders.ts'
import { type OpenScope, renderPlace } from './open-scope.ts'
import { rightsOf } from './trail.ts'
import { folderPathOf, requireFile, type UsedPlace, usePlace } from './use-place.ts'

/** Writes a file whole. A link inside the service is written through: the walk stands at its target already. */
export function writeFile(
  scope: OpenScope,
  given: string,
  bytes: Uint8Array,
): { path: string; size: number; created: boolean } {
  return usePlace(scope, given, 'write', (place) => {
    const name = place.names.at(-1)
    if (place.leaf === undefined) makeFile(place, bytes)
    else putFile(writeInto(place), name ?? '', bytes, rightsToKeep(place))
    const path = renderPlace(scope, place.root, place.names)
    return { path, size: bytes.length, created: place.leaf === undefined }
  })
}

function rightsToKeep(place: UsedPlace): FileRights {
  const leaf = requireFile(place)
  return { ...rightsOf(leaf), attributes: readAttributes(leaf.fd, place.given) }
}

/**
 * Removes one regular file. A link is never removed nor followed: one that leads out is refused like any path
 * that does, one that leads to a file of the service is a fault, for it is not plain which of the two was meant.
 */
export function deleteFile(scope: OpenScope, given: string): { path: string } {
  return usePlace(scope, given, 'write', (place) => {
    if (place.by_link)
      throw fileFault('ValidationError', given, 'is a link; only regular files can be deleted')
    requireFile(place)
    const into = writeInto(place)
    if (!isUnmoved(into)) throw new GuardDenied('changed', given)
    unlinkIn(place.folder_fd, place.names.at(-1) ?? '')
    return { path: renderPlace(scope, place.root, place.names) }
  })
}

/** The held folder of a place, for writing in it. */
export function writeInto(place: UsedPlace): WriteInto {
  const { given, folder_fd, root } = place
  return { given, folder_fd, folder_path: folderPathOf(place), root_path: root.path }
}

function makeFile(place: UsedPlace, bytes: Uint8Array): void {
  const { missing, given, fault } = place
  const name = missing.at(-1)
  if (name === undefined) throw fileFault(fault ?? 'FileNotFound', given)
  const folders = makeFolders(place.folder_fd, missing.slice(0, -1), given)
  try {
    putFile({ ...writeInto(place), folder_fd: folders.fd }, name, bytes, undefined)
  } catch (error) {
    folders.undo()
    throw error
  } finally {
    folders.close()
  }
}
