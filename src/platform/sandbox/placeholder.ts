import {
  closeSync,
  constants,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { mountedElsewhere } from './mounted-elsewhere.ts'

/** A placeholder that a run has a share in. */
export interface Placeholder {
  readonly path: string
}

// A time that no honest empty file bears: it marks ours, also those that a crash left behind.
const MARK = new Date('2001-02-03T04:05:06.000Z')
const FILE_MODE = 0o444
const FOLDER_MODE = 0o555

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
export function isPlaceholder(stat: Stats): boolean {
  if (stat.mtimeMs !== MARK.getTime()) return false
  const mode = stat.mode & 0o777
  return stat.isDirectory() ? mode === FOLDER_MODE : stat.isFile() && stat.size === 0 && mode === FILE_MODE
}

/** A descriptor of a folder that is really where its name says. */
export function openFolder(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (readlinkSync(`/proc/self/fd/${fd}`) === path) return fd
  closeSync(fd)
  throw new Error(`${path} moved while it was looked at`)
}

function createMarked(name: string, kind: 'file' | 'folder'): void {
  if (kind === 'folder') {
    mkdirSync(name, { mode: FOLDER_MODE })
    return utimesSync(name, MARK, MARK)
  }
  const fd = openSync(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE)
  try {
    futimesSync(fd, MARK, MARK)
  } finally {
    closeSync(fd)
  }
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
