import { isMainThread } from 'node:worker_threads'
import { NAME_FOLDER } from './descriptors.ts'
import type { ThingIdentity } from './guard.ts'
import { type KernelCalls, loadKernelCalls } from './kernel-calls.ts'
import { plainCalls } from './plain-calls.ts'

/** What is at a name, as far as it has to be told apart from something else. */
export interface NamedThing extends ThingIdentity {
  readonly mtime_ms: number
  readonly is_folder: boolean
}

/** What the guard asks of the system below a folder that it holds. Names are single names; no link is followed. */
export interface FolderCalls {
  open(folder_fd: number, name: string, flags: number, mode?: number): number
  /** Opens a thing that is only named so far. */
  openHeld(fd: number, flags: number): number
  /** Nothing where there is no such name. */
  find(folder_fd: number, name: string): NamedThing | undefined
  /** The same for a path from the root of all, to see whether a held folder is still what lies there. */
  findPath(path: string): NamedThing | undefined
  rename(folder_fd: number, from: string, to: string): void
  unlink(folder_fd: number, name: string): void
  /** Where the held thing lies now, as the kernel has it. */
  pathOf(fd: number): string
}

/** Loading takes as long as several hundred calls save, and a command that reads a file or two makes few. */
const WORTH_AFTER_PATHS = 100

let paths = 0
let kernel: KernelCalls | undefined
let choice: 'plain' | 'kernel' | undefined

/** The system's calls below held folders. */
export function folderCalls(): FolderCalls {
  return kernel ?? plainCalls
}

/** A second descriptor of a held folder, for those who keep it longer than the first. */
export function holdAgain(folder_fd: number): number {
  return folderCalls().open(folder_fd, '.', NAME_FOLDER)
}

/** The kernel's own calls, where they are made already. */
export function kernelCalls(): KernelCalls | undefined {
  return kernel
}

/** The kernel's own calls for a path that is to be resolved, once so many were that they are worth loading. */
export function callsForPath(): KernelCalls | undefined {
  countPaths(1)
  return kernel
}

/**
 * The same for files that are read together, in threads too: whoever reads so closes by these calls what they opened,
 * and nothing that Node keeps count of.
 */
export function callsForFiles(count: number): KernelCalls | undefined {
  countPaths(count)
  return choice === 'kernel' ? loadKernelCalls() : undefined
}

function countPaths(count: number): void {
  if (choice !== undefined) return
  paths += count
  if (paths > WORTH_AFTER_PATHS) chooseCalls('kernel')
}

/** Settles which calls are made. Threads come and go with a search, and do not load anything for it. */
export function chooseCalls(which: 'plain' | 'kernel'): void {
  choice = which
  kernel = which === 'kernel' && isMainThread ? loadKernelCalls() : undefined
}
