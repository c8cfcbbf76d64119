import {
  type BigIntStats,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  type StatSyncOptions,
  unlinkSync,
} from 'node:fs'
import { errnoOf } from '../faults.ts'
import type { ThingIdentity } from '../guard.ts'
import { type TreeStat, treeStatOf } from '../tree/tree-stat.ts'
import { at, itself, NAME_ANY, NAME_FOLDER } from './descriptors.ts'
import { loadKernelCalls } from './kernel-calls.ts'

/** What is at a name, as far as it has to be told apart from something else. */
export interface NamedThing extends ThingIdentity {
  readonly mtime_ms: number
  readonly is_folder: boolean
}

const LOOK = { bigint: true, throwIfNoEntry: false } as const satisfies StatSyncOptions

/** What is at a name in a held folder; undefined where there is no such name. No link is followed. */
export function findIn(folder_fd: number, name: string): NamedThing | undefined {
  return findPath(at(folder_fd, name))
}

/** The same for a path. */
export function findPath(path: string): NamedThing | undefined {
  const stat = lstatSync(path, LOOK)
  return stat && describeStat(stat)
}

/** What version control knows a file by; undefined where there is no such name. No link is followed. */
export function treeStatIn(folder_fd: number, name: string): TreeStat | undefined {
  const found = loadKernelCalls()?.stat(folder_fd, name)
  if (found) return found
  const stat = lstatSync(at(folder_fd, name), LOOK)
  return stat && treeStatOf(stat)
}

/** Opens a name in a held folder. */
export function openIn(folder_fd: number, name: string, flags: number, mode?: number): number {
  return openSync(at(folder_fd, name), flags, mode)
}

/** Names what is in a held folder without opening it; undefined where there is no such name. */
export function findName(folder_fd: number, name: string): number | undefined {
  try {
    return openIn(folder_fd, name, NAME_ANY)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

export function renameIn(folder_fd: number, from: string, to: string): void {
  renameSync(at(folder_fd, from), at(folder_fd, to))
}

export function unlinkIn(folder_fd: number, name: string): void {
  unlinkSync(at(folder_fd, name))
}

/** Where a held thing lies now, as the kernel has it. */
export function pathOf(fd: number): string {
  return readlinkSync(itself(fd))
}

/** A second descriptor of a held folder, for those who keep it longer than the first. */
export function holdAgain(folder_fd: number): number {
  return openIn(folder_fd, '.', NAME_FOLDER)
}

function describeStat(stat: BigIntStats): NamedThing {
  const { dev, ino, birthtimeNs, mtimeMs } = stat
  return { dev, ino, born_ns: birthtimeNs, mtime_ms: Number(mtimeMs), is_folder: stat.isDirectory() }
}
