import { type BigIntStats, fstatSync, opendirSync } from 'node:fs'
import { foldName } from './blocked-names.ts'
import { errnoOf } from './faults.ts'
import { at } from './kernel/descriptors.ts'
import { findIn, pathOf, renameIn } from './kernel/folder-calls.ts'

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
  passBarrier(seen.folder_fd, seen.name)
  const named = findIn(seen.folder_fd, seen.name)
  const held = fstatSync(seen.fd, { bigint: true })
  if (named === undefined || named.ino !== held.ino || named.dev !== held.dev) return false
  return (seen.may_have_names || (held.nlink === 1n && isUnchanged(seen, held))) && isUnmoved(seen)
}

function isUnchanged({ changed_at, fd }: SeenFile, held: BigIntStats): boolean {
  return typeof changed_at === 'bigint' ? held.ctimeNs === changed_at : fstatSync(fd).ctimeMs === changed_at
}

/** Whether a held folder still lies where the walk met it; it may have been moved out of the scope since. */
export function isUnmoved({ folder_fd, folder_path, root_path }: FolderPlace): boolean {
  const now = pathOf(folder_fd)
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
function passBarrier(folder_fd: number, name: string): void {
  try {
    renameIn(folder_fd, name, name)
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
