import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { mountsOf, processesWithOtherMounts } from './mount-table.ts'

/** A placeholder that a run has a share in. */
export interface Placeholder {
  readonly path: string
}

// A time that no honest empty file bears: it marks ours, also those that a crash left behind.
const MARK = new Date('2001-02-03T04:05:06.000Z')
const FILE_MODE = 0o444
const FOLDER_MODE = 0o555
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

interface Held {
  users: number
  readonly folder_fd: number
}
const held_by_path = new Map<string, Held>()

/**
 * Puts an empty thing under a name that must not be created during a run. It goes with the last run that
 * needs it: a mount over a name ends when the name is removed, hence the counting.
 */
export function holdPlaceholder(path: string, kind: 'file' | 'folder'): Placeholder {
  const held = held_by_path.get(path) ?? { users: 0, folder_fd: openFolder(dirname(path)) }
  try {
    const name = nameOf(path, held)
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) createMarked(name, kind)
  } catch (error) {
    if (held.users === 0) closeSync(held.folder_fd)
    throw error
  }
  held.users++
  held_by_path.set(path, held)
  return { path }
}

/** Ends the share of a run in its placeholders. */
export function releasePlaceholders(placeholders: readonly Placeholder[]): void {
  const unused = placeholders.filter(({ path }) => endUse(path)).map(({ path }) => path)
  if (unused.length === 0) return
  const needed = mountedElsewhere(unused)
  for (const path of unused) {
    const held = held_by_path.get(path)
    if (held === undefined) continue
    held_by_path.delete(path)
    if (!needed.has(path)) tryRemove(nameOf(path, held))
    closeSync(held.folder_fd)
  }
}

/** Those of some paths that another process of this machine has something mounted on: another hub's sandbox, say. */
function mountedElsewhere(paths: readonly string[]): Set<string> {
  const wanted = new Set(paths)
  const mounted = processesWithOtherMounts().flatMap((pid) => mountsOf(pid).map(({ at }) => at))
  return new Set(mounted.filter((at) => wanted.has(at)))
}

function endUse(path: string): boolean {
  const held = held_by_path.get(path)
  if (held === undefined) return false
  held.users--
  return held.users === 0
}

function nameOf(path: string, { folder_fd }: Held): string {
  return `/proc/self/fd/${folder_fd}/${basename(path)}`
}

/** Whether this is a placeholder, of this process or of one that is gone. */
export function isPlaceholder({ mode, size, mtimeMs }: Pick<Stats, 'mode' | 'size' | 'mtimeMs'>): boolean {
  if (mtimeMs !== MARK.getTime()) return false
  const kind = mode & constants.S_IFMT
  // A umask may have cut the mode of one that was left behind.
  const isAtMost = (most: number): boolean => (mode & 0o777 & ~most) === 0
  if (kind === constants.S_IFDIR) return isAtMost(FOLDER_MODE)
  return kind === constants.S_IFREG && size === 0 && isAtMost(FILE_MODE)
}

/** A descriptor of a folder that is really where its name says. */
export function openFolder(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (readlinkSync(`/proc/self/fd/${fd}`) === path) return fd
  closeSync(fd)
  throw new Error(`${path} moved while it was looked at`)
}

function createMarked(name: string, kind: 'file' | 'folder'): void {
  const fd = kind === 'folder' ? createFolder(name) : openSync(name, NEW_FILE, FILE_MODE)
  try {
    // Whatever the umask is: a mark is recognised by its mode too.
    fchmodSync(fd, kind === 'folder' ? FOLDER_MODE : FILE_MODE)
    futimesSync(fd, MARK, MARK)
  } finally {
    closeSync(fd)
  }
}

function createFolder(name: string): number {
  // Readable to us until its own mode is set, or it could not be opened for that.
  mkdirSync(name, { mode: 0o700 })
  return openSync(name, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

// What cannot be removed now bears the mark, and the next run over this name takes it away.
function tryRemove(name: string): void {
  try {
    const stat = lstatSync(name, { throwIfNoEntry: false })
    if (stat === undefined || !isPlaceholder(stat)) return
    // Not recursive: a folder that somebody has put something in stays.
    if (stat.isDirectory()) rmdirSync(name)
    else unlinkSync(name)
  } catch {}
}

/**
 * Puts a symbolic link back after a run. No mount can cover a link itself, only what it leads to, so a
 * command could put something else under its name.
 */
export function keepLink(path: string): () => void {
  const folder_fd = openFolder(dirname(path))
  const name = `/proc/self/fd/${folder_fd}/${basename(path)}`
  const target = readlinkSync(name)
  return () => {
    try {
      if (isLinkTo(name, target)) return
      // Moved aside rather than removed: removing a folder by name could be led astray.
      if (lstatSync(name, { throwIfNoEntry: false }))
        renameSync(name, `${name}.aside-${randomBytes(4).toString('hex')}`)
      symlinkSync(target, name)
    } finally {
      closeSync(folder_fd)
    }
  }
}

function isLinkTo(name: string, target: string): boolean {
  const stat = lstatSync(name, { throwIfNoEntry: false })
  return stat?.isSymbolicLink() === true && readlinkSync(name) === target
}
