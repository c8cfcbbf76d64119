import { closeSync, fstatSync } from 'node:fs'
import { DEPTH_MAX, type PathParts } from './input-path.ts'
import { closeAll, NAME_ANY, NAME_FOLDER } from './kernel/descriptors.ts'
import type { KernelCalls } from './kernel/kernel-calls.ts'
import { findByShortName, type OpenScope } from './open-scope.ts'
import type { Place } from './resolve-path.ts'
import { holdRoot } from './roots.ts'
import type { Leaf } from './trail.ts'

/**
 * The place of a path that plainly leads to a file of the service: nothing but open names, no link, no mount, no
 * other root on the way. The kernel resolves it in two steps (openat2), so no name can be swapped between a look and its
 * use. Undefined where anything is otherwise: the walk decides then, and says why it refuses what it does.
 */
export function findPlainPlace(
  scope: OpenScope,
  given: string,
  { absolute, names }: PathParts,
): Place | undefined {
  if (absolute || names.length === 0 || !isPlainWay(scope, names)) return undefined
  const kernel = scope.kernel()
  if (!kernel) return undefined
  const root = scope.service
  const root_fd = holdRoot(root, given)?.fd
  if (root_fd === undefined) return undefined
  const path = names.slice(0, -1).join('/')
  const folder_fd = path === '' ? root_fd : kernel.openBeneath(root_fd, path, NAME_FOLDER)
  if (folder_fd === undefined) return undefined
  const folder_fds = folder_fd === root_fd ? [] : [folder_fd]
  const leaf = findFile(kernel, folder_fd, names.at(-1) as string)
  if (!leaf) {
    closeAll(folder_fds)
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

/** Whether a path has open names alone, none of the places on it is closed, and no other root is on it or meant by it. */
function isPlainWay(scope: OpenScope, names: readonly string[]): boolean {
  if (names.length > DEPTH_MAX) return false
  let path = scope.service.path
  const isOpen = names.every((name) => {
    if (name === '.' || name === '..' || scope.names.isClosedOnWay(name)) return false
    if (!scope.has_inner) return true
    path = `${path}/${name}`
    return !scope.closed.has(path) && !scope.roots_by_path.has(path)
  })
  return isOpen && !findByShortName(scope, names)
}

function findFile(kernel: KernelCalls, folder_fd: number, name: string): Leaf | undefined {
  const fd = kernel.openBeneath(folder_fd, name, NAME_ANY)
  if (fd === undefined) return undefined
  const stat = fstatSync(fd, { bigint: true })
  if (stat.isFile()) return { fd, stat }
  closeSync(fd)
  return undefined
}
