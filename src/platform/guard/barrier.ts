import { type BigIntStats, fstatSync, opendirSync } from 'node:fs'
import { foldName } from './blocked-names.ts'
import { at } from './descriptors.ts'
import { errnoOf } from './faults.ts'
import { type FolderCalls, folderCalls } from './folder-calls.ts'
import type { FileLook, KernelCalls } from './kernel-calls.ts'

/** A held folder and where it should be. */
export interface FolderPlace {
  readonly folder_fd: number
  readonly folder_path: string
  readonly root_path: string
}

/** What a file was when it was looked at first. */
export interface SeenFile extends FolderPlace {
  readonly name: string
  readonly fd: number
  /** Moves on with every change of names; nanoseconds, or milliseconds with their fraction. */
  readonly changed_at: bigint | number
  readonly may_have_names: boolean
}

/**
 * Whether a file that was read is still the one that its name in the scope leads to, has no other name, and had
 * none all the while. A link count alone does not tell: who takes the name in the scope away leaves a count of
 * one behind. The barrier waits for any rename or removal in the folder to be finished; after that, name, count
 * and time of change cannot all be as they were if there was one.
 */
export function isStillItself(seen: SeenFile): boolean {
  passBarrier(folderCalls(), seen.folder_fd, seen.name)
  const named = folderCalls().find(seen.folder_fd, seen.name)
  const held = fstatSync(seen.fd, { bigint: true })
  if (named === undefined || named.ino !== held.ino || named.dev !== held.dev) return false
  return (seen.may_have_names || (held.nlink === 1n && isUnchanged(seen, held))) && isUnmoved(seen)
}

/** A file of a folder that was looked at when it was opened, and is open still. */
export interface LookedAtFile {
  readonly name: string
  readonly look: FileLook
  readonly may_have_names: boolean
}

/**
 * The same for files of one folder that were all read: those of them that are still themselves. One barrier does for
 * all, since it is the folder's lock that every change of one of its names takes. As long as a file is open its number
 * is not given to another, so that a look at the name tells what one at the descriptor would.
 */
export function findStillThemselves<File extends LookedAtFile>(
  calls: KernelCalls,
  folder: FolderPlace,
  files: readonly File[],
): File[] {
  const [first] = files
  if (first === undefined) return []
  passBarrier(calls, folder.folder_fd, first.name)
  if (!isUnmoved(folder, calls)) return []
  return files.filter(({ name, look, may_have_names }) => {
    const named = calls.look(folder.folder_fd, name)
    if (named === undefined || named.ino !== look.ino || named.dev !== look.dev) return false
    return may_have_names || (named.names === 1 && named.changed_ns === look.changed_ns)
  })
}

function isUnchanged({ changed_at, fd }: SeenFile, held: BigIntStats): boolean {
  return typeof changed_at === 'bigint' ? held.ctimeNs === changed_at : fstatSync(fd).ctimeMs === changed_at
}

/** Whether a held folder still lies where the walk met it; it may have been moved out of the scope since. */
export function isUnmoved(
  { folder_fd, folder_path, root_path }: FolderPlace,
  calls: FolderCalls = folderCalls(),
): boolean {
  const now = calls.pathOf(folder_fd)
  if (now === folder_path) return true
  // A file system without case shows the name that somebody else asked for.
  const below = now.startsWith(`${root_path}/`) ? now.slice(root_path.length) : '\0'
  return foldPath(below) === foldPath(folder_path.slice(root_path.length))
}

function foldPath(path: string): string {
  return path.split('/').map(foldName).join('/')
}

/**
 * Renaming a name onto itself changes nothing, not even a time, but takes the folder's lock as every rename and
 * removal does. Where nothing may be renamed, as on a disk mounted read-only, reading the folder does the same
 * at several times the price.
 */
function passBarrier(calls: FolderCalls, folder_fd: number, name: string): void {
  try {
    calls.rename(folder_fd, name, name)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') readFolder(folder_fd)
  }
}

function readFolder(folder_fd: number): void {
  const folder = opendirSync(at(folder_fd, ''), { bufferSize: 1 })
  try {
    folder.readSync()
  } finally {
    folder.closeSync()
  }
}
