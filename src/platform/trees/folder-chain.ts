import { closeSync, constants, lstatSync, openSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { itself } from '../guard/kernel/descriptors.ts'
import { tryLock, unlock } from './flock.ts'

/** The folder cannot be held: it is gone, is no real folder any more, or its rights or file system forbid it. */
export class TreeUnsound extends Error {
  override readonly name = 'TreeUnsound'
  /** Whether a link, or something else that is no folder, stands in the way. */
  readonly was_moved: boolean
  constructor(message: string, was_moved = false) {
    super(message)
    this.was_moved = was_moved
  }
}

interface OpenFolder {
  readonly path: string
  readonly fd: number
  /** How it is locked: for its holder alone, or together with others that work below it. */
  readonly how: 'exclusive' | 'shared'
}

/** A folder and all that hold it, open: the outermost first. */
export type FolderChain = readonly OpenFolder[]

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** Opens a folder by its real path, and the folders above it. A link anywhere on the way is refused. */
export function openChain(path: string): FolderChain {
  return openAll([...foldersAbove(path), path], path)
}

/** The same without the folder itself. */
export function openAbove(path: string): FolderChain {
  return openAll(foldersAbove(path))
}

function openAll(paths: readonly string[], alone?: string): FolderChain {
  const chain: OpenFolder[] = []
  try {
    for (const path of paths) {
      const fd = openFolder(path, path === alone)
      if (fd !== undefined) chain.push({ path, fd, how: path === alone ? 'exclusive' : 'shared' })
    }
    return chain
  } catch (error) {
    closeChain(chain)
    throw error
  }
}

/** The root of all is left out: no service is there, and nobody can put something else in its place. */
function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) folders.push(folder)
  return folders.toReversed()
}

function openFolder(path: string, is_wanted: boolean): number | undefined {
  try {
    return openSync(path, OPEN_FOLDER)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (NO_FOLDER.has(code)) throw new TreeUnsound(`${path} is no real folder any more.`, true)
    if (code !== 'EACCES' || is_wanted || isOurs(path))
      throw new TreeUnsound(`${path} cannot be opened (${code}), so it cannot be told who works in it.`)
    // Somebody else's, whom this hub does not work beside.
    return undefined
  }
}

// A command may have taken the right to read its folder away, to keep others from seeing its lock.
function isOurs(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.uid === process.geteuid?.()
}

/** Locks all, or says that somebody else's lock is in the way. */
export function tryLockChain(chain: FolderChain): boolean {
  return chain.every(({ path, fd, how }) => {
    try {
      return tryLock(fd, how)
    } catch (error) {
      throw new TreeUnsound(`${path} cannot be locked: ${(error as Error).message}`)
    }
  })
}

/** Whether each folder still lies where it was opened. To be asked when all are locked: then nobody moves them. */
export function isInPlace(chain: FolderChain): boolean {
  return chain.every(({ path, fd }) => readlinkSync(itself(fd)) === path)
}

/** Lets go of all. */
export function closeChain(chain: FolderChain): void {
  for (const { fd } of chain) {
    unlock(fd)
    closeSync(fd)
  }
}
