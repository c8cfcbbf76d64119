import { closeSync, fstatSync } from 'node:fs'
import { NAME_ANY, NAME_FOLDER } from './descriptors.ts'
import { callsForPath } from './folder-calls.ts'
import { DEPTH_MAX, type PathParts } from './input-path.ts'
import type { KernelCalls } from './kernel-calls.ts'
import { findByShortName, type OpenScope } from './open-scope.ts'
import type { Place } from './resolve-path.ts'
import { findFolderThisTurn, holdRootThisTurn, keepFolderThisTurn } from './roots.ts'
import type { Leaf } from './trail.ts'

/**
 * The place of a path that plainly leads to a file of the service: nothing but open names, no link, no mount, no
 * other root on the way. The kernel is asked for all of it in two steps, where the walk asks for each name. Nothing
 * where anything is otherwise: the walk decides then, and says why it refuses what it does.
 */
export function findPlainPlace(
  scope: OpenScope,
  given: string,
  { absolute, names }: PathParts,
): Place | undefined {
  const calls = callsForPath()
  if (!calls || absolute || names.length === 0 || !isPlainWay(scope, names)) return undefined
  const folder = openFolderThisTurn(calls, scope, given, names.slice(0, -1))
  if (folder === undefined) return undefined
  const leaf = findFile(calls, folder.fd, names.at(-1) as string)
  const folder_fds = folder.is_kept ? [] : [folder.fd]
  if (!leaf) {
    for (const fd of folder_fds) closeSync(fd)
    return undefined
  }
  const root = scope.service
  return {
    root,
    names,
    folder_fd: folder.fd,
    leaf,
    fault: undefined,
    missing: [],
    held_root: root,
    is_on_mount: true,
    by_link: false,
    fds: [...folder_fds, leaf.fd],
  }
}

/** A folder that is held, and who has to close it. */
export interface PlainFolder {
  readonly fd: number
  /** A root keeps its own, and a turn what its requests share. */
  readonly is_kept: boolean
}

/** The same for a folder of the service; whoever asks closes it by the same calls, unless it is the root's. */
export function openPlainFolder(
  calls: KernelCalls,
  scope: OpenScope,
  given: string,
  { absolute, names }: PathParts,
): PlainFolder | undefined {
  return absolute || !isPlainWay(scope, names) ? undefined : openFolder(calls, scope, given, names)
}

function openFolder(
  calls: KernelCalls,
  scope: OpenScope,
  given: string,
  names: readonly string[],
): PlainFolder | undefined {
  const root_fd = holdRootThisTurn(scope.service, given)?.fd
  if (root_fd === undefined) return undefined
  if (names.length === 0) return { fd: root_fd, is_kept: true }
  const fd = calls.openBeneath(root_fd, names.join('/'), NAME_FOLDER)
  return fd === undefined ? undefined : { fd, is_kept: false }
}

/**
 * The same, but requests that were read together share it, as they share the look at the root: whatever is read or
 * changed in it is confirmed by where it lies then.
 */
function openFolderThisTurn(
  calls: KernelCalls,
  scope: OpenScope,
  given: string,
  names: readonly string[],
): PlainFolder | undefined {
  const path = names.join('/')
  const shared = findFolderThisTurn(scope.service, path)
  if (shared !== undefined) return { fd: shared, is_kept: true }
  const folder = openFolder(calls, scope, given, names)
  if (!folder || folder.is_kept) return folder
  return { ...folder, is_kept: keepFolderThisTurn(scope.service, path, folder.fd) }
}

/** Whether a path has open names alone, none of the places on it is closed, and no other root is on it or meant by it. */
function isPlainWay(scope: OpenScope, names: readonly string[]): boolean {
  if (names.length > DEPTH_MAX) return false
  let path = scope.service.path
  const isOpen = names.every((name) => {
    if (name === '.' || name === '..' || scope.names.isClosedOnWay(name)) return false
    if (!scope.has_inner) return true
    path = `${path}/${name}`
    return isOpenPlace(scope, path)
  })
  return isOpen && !findByShortName(scope, names)
}

/** Whether a place is neither closed nor another root. Only where there are such places in a root. */
export function isOpenPlace({ closed, roots_by_path }: OpenScope, path: string): boolean {
  return !closed.has(path) && !roots_by_path.has(path)
}

function findFile(calls: KernelCalls, folder_fd: number, name: string): Leaf | undefined {
  const fd = calls.openBeneath(folder_fd, name, NAME_ANY)
  if (fd === undefined) return undefined
  const stat = fstatSync(fd, { bigint: true })
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  return undefined
}
