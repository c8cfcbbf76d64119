import { closeSync, fstatSync } from 'node:fs'
import { NAME_ANY, NAME_FOLDER } from './descriptors.ts'
import { callsForPath } from './folder-calls.ts'
import type { PathParts } from './input-path.ts'
import type { KernelCalls } from './kernel-calls.ts'
import { findByShortName, type OpenScope } from './open-scope.ts'
import type { Place } from './resolve-path.ts'
import { holdRootThisTurn } from './roots.ts'
import { DEPTH_MAX, type Leaf } from './trail.ts'

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
  if (!calls || absolute || names.length > DEPTH_MAX || !isOpenWay(scope, names)) return undefined
  if (findByShortName(scope, names)) return undefined
  const root = scope.service
  const root_fd = holdRootThisTurn(root, given)?.fd
  if (root_fd === undefined) return undefined
  const above = names.slice(0, -1).join('/')
  const folder_fd = above === '' ? root_fd : calls.openBeneath(root_fd, above, NAME_FOLDER)
  if (folder_fd === undefined) return undefined
  const leaf = findFile(calls, folder_fd, names.at(-1) as string)
  const folder_fds = folder_fd === root_fd ? [] : [folder_fd]
  if (!leaf) {
    for (const fd of folder_fds) closeSync(fd)
    return undefined
  }
  return {
    root,
    names,
    folder_fd,
    leaf,
    fault: undefined,
    missing: [],
    held_root: root,
    is_on_mount: true,
    by_link: false,
    fds: [...folder_fds, leaf.fd],
  }
}

/** Whether a path has open names alone and none of the places on it is closed or another root. */
function isOpenWay(scope: OpenScope, names: readonly string[]): boolean {
  if (names.length === 0) return false
  let path = scope.service.path
  return names.every((name) => {
    if (name === '.' || name === '..' || scope.names.isClosedOnWay(name)) return false
    if (!scope.has_inner) return true
    path = `${path}/${name}`
    return !scope.closed.has(path) && !scope.roots_by_path.has(path)
  })
}

function findFile(calls: KernelCalls, folder_fd: number, name: string): Leaf | undefined {
  const fd = calls.openBeneath(folder_fd, name, NAME_ANY)
  if (fd === undefined) return undefined
  const stat = fstatSync(fd, { bigint: true })
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  return undefined
}
