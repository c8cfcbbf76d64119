import { closeSync, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, rmdirSync } from 'node:fs'
import { removeIfThere, type WriteInto } from '../drafts/make-draft.ts'
import { errnoOf, fileFault, translateFault, tryQuietly } from '../faults.ts'
import { GuardDenied } from '../guard.ts'
import { DEPTH_MAX, isSingleName } from '../input-path.ts'
import { at, NAME_ANY, NAME_FOLDER } from '../kernel/descriptors.ts'
import { treeStatIn, unlinkIn } from '../kernel/folder-calls.ts'
import { readMountPoints } from '../kernel/mounts.ts'
import { checkNewName } from '../new-names.ts'
import { findRootOf, isInStore, isWithinLimits, type OpenScope } from '../open-scope.ts'
import { READ_ATTEMPTS, readLeaf } from '../read-held-file.ts'
import { checkNewPiece, checkNoRepositoryAbove } from '../repository-pieces.ts'
import { checkFile, requireLeaf, usePlace } from '../use-place.ts'
import { putOver } from './put-over.ts'
import type { TreeStat } from './tree-stat.ts'
import { readNames, type TreeFolder, visitFolders } from './visit-folders.ts'

/** What a version control system keeps of one name: a file with its executable bit, or where a link points. */
export type TreeEntry =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly is_executable: boolean }
  | { readonly kind: 'link'; readonly target: string }

/**
 * The files of a service as version control has them: by plain paths through real folders. No link is followed
 * anywhere, and everything is reached through descriptors, so a folder that is swapped for a link leads nowhere.
 * All calls are synchronous and good only inside `inTree`.
 */
export interface ServiceTree {
  /** Visits folders, a folder before what is in it; the answer names the folders to go into. */
  visit(visit: (folder: TreeFolder) => readonly string[]): void
  /** One folder by its prefix: empty, or ending with `/`. Undefined where there is no such folder. */
  folder(prefix: string): TreeFolder | undefined
  /** What stands at a path, closed or not; contents are not opened. Undefined where there is no such thing. */
  look(path: string): TreeStat | undefined
  /** The file or link at a path; undefined where there is none. Throws for what the guard would not let be read. */
  read(path: string, max_bytes: number): TreeEntry | undefined
  /** Puts a file or link in place of whatever file or link is there; makes missing folders. */
  put(path: string, entry: TreeEntry): void
  /** Removes a file or link, and the folders that are empty then. */
  remove(path: string): void
}

/** The umask takes away from it. */
const FOLDER_MODE = 0o775

/** Folders that are held on the way to the last path, from the service down. */
interface Way {
  readonly scope: OpenScope
  readonly top_fd: number
  readonly dev: bigint
  /** Below the service; nothing inside them is to be seen or changed. */
  readonly closed_places: readonly string[]
  readonly held: { readonly name: string; readonly fd: number }[]
}

/** Lets work go on in the tree of a service, which is held meanwhile. */
export function inTree<Result>(scope: OpenScope, work: (tree: ServiceTree) => Result): Result {
  return usePlace(scope, '.', 'read', (place) => {
    const { fd, stat } = requireLeaf(place)
    const way: Way = { scope, top_fd: fd, dev: stat.dev, closed_places: findClosedPlaces(scope), held: [] }
    try {
      return work({
        visit: (visit) =>
          visitFolders({ top_fd: fd, dev: stat.dev, isClosed: (path) => isClosed(way, path) }, visit),
        folder: (prefix) => explained(prefix, () => folderAt(way, prefix)),
        look: (path) => explained(path, () => lookAt(way, path)),
        read: (path, max_bytes) => explained(path, () => readEntry(way, path, max_bytes)),
        put: (path, entry) => explained(path, () => putEntry(way, path, entry)),
        remove: (path) => explained(path, () => removeEntry(way, path)),
      })
    } finally {
      letGo(way, 0)
    }
  })
}

/** The hub's own places, shared folders and whatever is mounted below the service, relative to it. */
function findClosedPlaces({ service, closed, shared }: OpenScope): string[] {
  const all = [...closed, ...shared.map(({ path }) => path), ...readMountPoints()]
  const start = `${service.path}/`
  return all.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length))
}

function isClosed({ scope, closed_places }: Way, path: string): boolean {
  if (scope.names.isClosed(path.slice(path.lastIndexOf('/') + 1))) return true
  return closed_places.some((place) => path === place || path.startsWith(`${place}/`))
}

function explained<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw translateFault(error, path)
  }
}

/** Cuts a path into single names; `..`, empty names and the like never get to the disk. */
function namesOf({ scope }: Way, path: string): string[] {
  const names = path.split('/')
  if (names.length > DEPTH_MAX || !names.every(isSingleName))
    throw fileFault('ValidationError', path, 'is not a plain path in the service')
  if (!isWithinLimits(scope, scope.service, names)) throw new GuardDenied('role', path)
  return names
}

/** The same for what is to be read or changed: no name on the way may be closed. */
function openNamesOf(way: Way, path: string): string[] {
  const names = namesOf(way, path)
  for (let end = 1; end <= names.length; end += 1) {
    if (isClosed(way, names.slice(0, end).join('/'))) throw new GuardDenied('blocked', path)
  }
  if (findRootOf(way.scope, `${way.scope.service.path}/${path}`) !== way.scope.service)
    throw new GuardDenied('read_only', path)
  return names
}

/** Holds the folder of a path; undefined where one of its folders is missing or is no real folder. */
function enter(way: Way, folders: readonly string[], make = false): number | undefined {
  const same = folders.findIndex((name, index) => way.held[index]?.name !== name)
  letGo(way, same < 0 ? folders.length : same)
  for (const name of folders.slice(way.held.length)) {
    const fd = openFolder(way, lastOf(way), name, make)
    if (fd === undefined) return undefined
    way.held.push({ name, fd })
  }
  return lastOf(way)
}

function lastOf({ held, top_fd }: Way): number {
  return held.at(-1)?.fd ?? top_fd
}

function letGo({ held }: Way, keep: number): void {
  for (const { fd } of held.splice(keep)) closeSync(fd)
}

function openFolder(way: Way, above_fd: number, name: string, make: boolean): number | undefined {
  const place = at(above_fd, name)
  const fd = tryOpenFolder(place) ?? (make && tryMake(above_fd, name) ? tryOpenFolder(place) : undefined)
  if (fd === undefined || fstatSync(fd, { bigint: true }).dev === way.dev) return fd
  closeSync(fd)
  throw new GuardDenied('device', name)
}

function tryOpenFolder(place: string): number | undefined {
  try {
    return openSync(place, NAME_FOLDER)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

function tryMake(above_fd: number, name: string): boolean {
  checkNewName(name)
  checkNewPiece(above_fd, name, 'folder', name)
  try {
    mkdirSync(at(above_fd, name), FOLDER_MODE)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
  return true
}

function folderAt(way: Way, prefix: string): TreeFolder | undefined {
  const fd = enter(way, prefix === '' ? [] : namesOf(way, prefix.slice(0, -1)))
  if (fd === undefined) return undefined
  const names = readNames(fd, prefix, (path) => isClosed(way, path))
  // The descriptor is let go of when another folder is entered, so the names are looked at by their paths.
  return { prefix, names, look: (name) => lookAt(way, prefix + name) }
}

function lookAt(way: Way, path: string): TreeStat | undefined {
  const names = namesOf(way, path)
  const folder_fd = enter(way, names.slice(0, -1))
  if (folder_fd === undefined) return undefined
  return treeStatIn(folder_fd, names.at(-1) as string)
}

function readEntry(way: Way, path: string, max_bytes: number): TreeEntry | undefined {
  const names = openNamesOf(way, path)
  const name = names.at(-1) as string
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const folder_fd = enter(way, names.slice(0, -1))
    const fd = folder_fd === undefined ? undefined : tryQuietly(() => openSync(at(folder_fd, name), NAME_ANY))
    if (folder_fd === undefined || fd === undefined) return undefined
    try {
      const stat = fstatSync(fd, { bigint: true })
      if (stat.isSymbolicLink()) {
        const target = tryQuietly(() => readlinkSync(at(folder_fd, name)))
        if (target !== undefined) return { kind: 'link', target }
        continue
      }
      const place = placeOf(way, names)
      const may_have_names = isInStore(way.scope, () => `${place.folder_path}/${name}`)
      checkFile(stat, path, may_have_names)
      const found = readLeaf(
        { fd, stat },
        { ...place, given: path, folder_fd, name, may_have_names },
        max_bytes,
      )
      if (found) return { kind: 'file', bytes: found.bytes, is_executable: (found.mode & 0o100) !== 0 }
    } finally {
      closeSync(fd)
    }
    // Somebody moved the folder or the file: what is held may lie elsewhere by now.
    letGo(way, 0)
  }
  throw new GuardDenied('changed', path)
}

function placeOf({ scope }: Way, names: readonly string[]): { folder_path: string; root_path: string } {
  const { path } = scope.service
  return { folder_path: [path, ...names.slice(0, -1)].join('/'), root_path: path }
}

function putEntry(way: Way, path: string, entry: TreeEntry): void {
  const names = openNamesOf(way, path)
  const name = names.at(-1) as string
  const folder_fd = enter(way, names.slice(0, -1), true)
  if (folder_fd === undefined) throw fileFault('NotADirectory', path)
  const into: WriteInto = { ...placeOf(way, names), folder_fd, given: path }
  const there = lstatSync(at(folder_fd, name), { throwIfNoEntry: false })
  if (there?.isDirectory()) throw fileFault('IsADirectory', path)
  checkNoRepositoryAbove(folder_fd, names.length - 1, path)
  if (there !== undefined) return putOver(into, name, entry, there)
  checkNewName(name)
  checkNewPiece(folder_fd, name, 'checked_out', path)
  putOver(into, name, entry, there)
  try {
    // Somebody else may have made the other pieces of a repository since they were looked for.
    checkNewPiece(folder_fd, name, 'checked_out', path)
  } catch (error) {
    removeIfThere(folder_fd, name)
    throw error
  }
}

function removeEntry(way: Way, path: string): void {
  const names = openNamesOf(way, path)
  const folder_fd = enter(way, names.slice(0, -1))
  if (folder_fd === undefined) return
  const name = names.at(-1) as string
  const there = lstatSync(at(folder_fd, name), { throwIfNoEntry: false })
  if (there === undefined || there.isDirectory()) return
  checkNoRepositoryAbove(folder_fd, names.length - 1, path)
  unlinkIn(folder_fd, name)
  removeEmpty(way, names.slice(0, -1))
}

function removeEmpty(way: Way, folders: readonly string[]): void {
  for (let end = folders.length; end > 0; end -= 1) {
    const above_fd = enter(way, folders.slice(0, end - 1))
    const isGone =
      above_fd !== undefined && tryQuietly(() => (rmdirSync(at(above_fd, folders[end - 1] as string)), true))
    if (!isGone) return
  }
}
