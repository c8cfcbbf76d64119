import { closeSync, fstatSync, readSync } from 'node:fs'
import { NAME_ANY, READ_KNOWN } from './descriptors.ts'
import { errnoOf } from './faults.ts'
import { folderCalls } from './folder-calls.ts'
import type { FoundFile } from './guard.ts'

/** A file that was read and is open still. */
type OpenedFile = FoundFile & { readonly fd: number }

/** Whether a name in a held folder still has just the content and mode that were read. */
export function isStillOpened(folder_fd: number, name: string, file: OpenedFile): boolean {
  const named = folderCalls().find(folder_fd, name)
  if (named === undefined) return false
  const held = fstatSync(file.fd, { bigint: true })
  if (named.ino !== held.ino || named.dev !== held.dev) return isStillNamed(folder_fd, name, file)
  return Number(held.mode & 0o7777n) === file.mode && hasBytes(file.fd, file.bytes)
}

/** Another file may have taken its place and be no other in what it says. */
function isStillNamed(folder_fd: number, name: string, { bytes, mode }: FoundFile): boolean {
  const named_fd = findName(folder_fd, name)
  if (named_fd === undefined) return false
  try {
    const stat = fstatSync(named_fd)
    if (!stat.isFile() || (stat.mode & 0o7777) !== mode) return false
    const fd = folderCalls().openHeld(named_fd, READ_KNOWN)
    try {
      return hasBytes(fd, bytes)
    } finally {
      closeSync(fd)
    }
  } finally {
    closeSync(named_fd)
  }
}

/** A regular file gives less than asked for only at its end. */
function hasBytes(fd: number, bytes: Buffer): boolean {
  const now = Buffer.allocUnsafe(bytes.length + 1)
  const length = readSync(fd, now, 0, now.length, 0)
  return now.subarray(0, length).equals(bytes)
}

/** Names what is in a held folder without opening it; nothing where there is no such name. */
export function findName(folder_fd: number, name: string): number | undefined {
  try {
    return folderCalls().open(folder_fd, name, NAME_ANY)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
