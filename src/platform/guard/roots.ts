import { closeSync, fstatSync, lstatSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { errnoOf } from './faults.ts'
import { GuardDenied } from './guard.ts'
import { at, NAME_FOLDER } from './kernel/descriptors.ts'
import { findPath, type NamedThing, pathOf } from './kernel/folder-calls.ts'
import { mountIdOf } from './kernel/mounts.ts'

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** One folder of the scope and what is held of it. */
export interface Root {
  /** As the scope has it; paths of callers may enter by this name. */
  readonly given: string
  /** Where it lies once the links above it are followed. */
  readonly path: string
  readonly segments: readonly string[]
  readonly writable: boolean
  /** The short name by which a shared folder may be called from the service. */
  readonly short_name: readonly string[] | undefined
  /** Nothing while a shared folder does not exist. */
  held: HeldRoot | undefined
  /** Where it was when first seen; a folder elsewhere does not take its place. */
  home: Pick<HeldRoot, 'dev' | 'mount_id'> | undefined
}

/** What is held of a root that exists. */
export interface HeldRoot {
  readonly fd: number
  readonly dev: bigint
  readonly ino: bigint
  readonly mount_id: string
}

/** Describes a folder of the scope; it is opened when a call first needs it. */
export function describeRoot(given: string, writable: boolean, base: string | undefined): Root {
  if (!isAbsolute(given)) throw new Error(`the guard needs absolute folders, not ${JSON.stringify(given)}`)
  const path = realPlace(resolve(given))
  if (path === '/') throw new Error('the guard does not take the whole file system for a folder of its scope')
  const short_name = base === undefined ? undefined : shortName(base, path)
  const segments = segmentsOf(path)
  return { given: resolve(given), path, segments, writable, short_name, held: undefined, home: undefined }
}

/** The names of an absolute path. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}

/** The innermost folder that holds both. */
export function commonFolder(one: string, other: string): string {
  const others = segmentsOf(other)
  const names = segmentsOf(one)
  const differs = names.findIndex((name, index) => name !== others[index])
  return `/${names.slice(0, differs < 0 ? names.length : differs).join('/')}`
}

/** The real place of a path whose last name need not exist and is not followed. */
export function realPlace(path: string): string {
  if (path === '/') return path
  const above = dirname(path)
  try {
    return join(realpathSync(above), basename(path))
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    return join(realPlace(above), basename(path))
  }
}

/**
 * The descriptor of a root, good for this call. A service that was cloned anew has another folder under the same
 * name, so the name is compared with what is held each time. A new folder is taken if it is real (not a link), at
 * the very same place, and on the same disk and mount as before; anything else is refused until the owner opens
 * another guard.
 */
export function holdRoot(root: Root, given_path: string): HeldRoot | undefined {
  const now = findNow(root.path)
  const { held } = root
  if (held && now && now.ino === held.ino && now.dev === held.dev) return held
  releaseRoot(root)
  const found = now?.is_folder ? openRoot(root) : undefined
  if (found === undefined && root.writable) throw new GuardDenied('changed', given_path)
  if (found === undefined) return undefined
  root.held = found
  root.home ??= found
  if (root.home.dev === found.dev && root.home.mount_id === found.mount_id) return found
  releaseRoot(root)
  throw new GuardDenied('device', given_path)
}

/** Lets go of a root. */
export function releaseRoot(root: Root): void {
  if (root.held) closeSync(root.held.fd)
  root.held = undefined
}

function openRoot(root: Root): HeldRoot | undefined {
  const fd = tryOpenFolder(root.path)
  if (fd === undefined) return undefined
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true })
    const below = lstatSync(at(fd, '.'), { bigint: true })
    if (below.ino !== ino || below.dev !== dev) throw new Error('/proc/self/fd does not lead to held folders')
    if (pathOf(fd) === root.path) return { fd, dev, ino, mount_id: mountIdOf(fd) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
  closeSync(fd)
  return undefined
}

function findNow(path: string): NamedThing | undefined {
  try {
    return findPath(path)
  } catch (error) {
    if (GONE.has(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

function tryOpenFolder(path: string): number | undefined {
  try {
    return openSync(path, NAME_FOLDER)
  } catch (error) {
    if (GONE.has(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

/** The real place of a folder that need not exist. */
export function realFolder(path: string): string {
  return dirname(realPlace(join(path, 'x')))
}

function shortName(base: string, path: string): string[] | undefined {
  const names = segmentsOf(relative(base, path))
  return names.length === 0 || names[0] === '..' ? undefined : names
}
