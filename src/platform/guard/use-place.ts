import type { BigIntStats } from 'node:fs'
import { fileFault, translateFault } from './faults.ts'
import { GuardDenied } from './guard.ts'
import { closeAll } from './kernel/descriptors.ts'
import { mountIdOf } from './kernel/mounts.ts'
import { checkNewName } from './new-names.ts'
import { isInStore, isWithinLimits, type OpenScope } from './open-scope.ts'
import { checkNewPiece, checkNoRepositoryAbove } from './repository-pieces.ts'
import { type Place, resolvePath } from './resolve-path.ts'
import type { Leaf } from './trail.ts'

/** A place on which everything that depends on the path alone has been checked. */
export interface UsedPlace extends Place {
  readonly scope: OpenScope
  /** As the caller wrote it. */
  readonly given: string
}

/** Resolves a path, checks that it may be reached so, and closes what was held when the work on it is done. */
export function usePlace<Result>(
  scope: OpenScope,
  given: string,
  access: 'read' | 'write',
  work: (place: UsedPlace) => Result,
): Result {
  let place: Place | undefined
  try {
    place = resolvePath(scope, given)
    if (!isWithinLimits(scope, place.root, place.names)) throw new GuardDenied('role', given)
    if (access === 'write' && !place.root.writable) throw new GuardDenied('read_only', given)
    checkMount(place, given)
    if (access === 'write') checkNew(place, given)
    return work({ ...place, scope, given })
  } catch (error) {
    throw translateFault(error, given)
  } finally {
    closeAll(place?.fds ?? [])
  }
}

/** What is to be made has a name that can be seen; and neither a part of a repository nor what would make one is written. */
function checkNew({ leaf, missing, names, folder_fd }: Place, given: string): void {
  for (const name of missing) checkNewName(name)
  const [first] = missing
  if (first !== undefined) checkNewPiece(folder_fd, first, missing.length > 1 ? 'folder' : 'file', given)
  if (first === undefined && leaf === undefined) return
  const levels = names.length - missing.length - (leaf && !leaf.stat.isDirectory() ? 1 : 0)
  checkNoRepositoryAbove(folder_fd, levels, given)
}

/** The thing at a place; says why where there is none. */
export function requireLeaf({ leaf, fault, given }: UsedPlace): Leaf {
  if (leaf === undefined) throw fileFault(fault ?? 'FileNotFound', given)
  return leaf
}

/** The regular file at a place: no folder, nothing that could block or act, no second name elsewhere. */
export function requireFile(place: UsedPlace): Leaf {
  const leaf = requireLeaf(place)
  checkFile(
    leaf.stat,
    place.given,
    isInStore(place.scope, () => pathOfPlace(place)),
  )
  return leaf
}

/** Checks that something found is a regular file with one name. */
export function checkFile(stat: BigIntStats, given: string, may_have_names: boolean): void {
  if (stat.isDirectory()) throw fileFault('IsADirectory', given)
  if (!stat.isFile()) throw new GuardDenied('special_file', given)
  if (stat.nlink > 1n && !may_have_names) throw new GuardDenied('hard_link', given)
}

/** Where a place lies on the host. Not for callers. */
export function pathOfPlace({ root, names }: Pick<Place, 'root' | 'names'>): string {
  return [root.path, ...names].join('/')
}

/** Where the folder of a file lies on the host. Not for callers. */
export function folderPathOf({ root, names }: Pick<Place, 'root' | 'names'>): string {
  return [root.path, ...names.slice(0, -1)].join('/')
}

/** Refuses what lies on another disk or was mounted over a name, and what is missing there just the same. */
function checkMount({ leaf, folder_fd, held_root, is_on_mount }: Place, given: string): void {
  const home = held_root?.held
  if (home === undefined) return
  if (leaf && leaf.stat.dev !== home.dev) throw new GuardDenied('device', given)
  if (!is_on_mount && mountIdOf(leaf?.fd ?? folder_fd) !== home.mount_id)
    throw new GuardDenied('device', given)
}
