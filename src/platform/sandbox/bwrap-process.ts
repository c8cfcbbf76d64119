import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Descriptor, JailProcess } from './jail-process.ts'
import { startProcess } from './start-process.ts'

// Descriptors of bwrap: its arguments, what it says about the child, the system call filter, made-up files.
const ARGUMENTS_FD = 3
export const STATUS_FD = 4
export const FILTER_FD = 5
export const FIRST_CONTENT_FD = 6

/** What bwrap is started with. Only the command itself is on its command line, which the command can read. */
export interface BwrapStart {
  readonly bwrap_path: string
  readonly args: readonly string[]
  readonly command: readonly string[]
  readonly filter: Buffer | undefined
  /** Contents of made-up files, in the order of their descriptors from FIRST_CONTENT_FD on. */
  readonly contents: readonly string[]
  readonly stdin: string | undefined
}

/** Starts bwrap in a process group of its own, with no environment and no descriptor of ours. */
export function startBwrap(start: BwrapStart): JailProcess {
  const child = startProcess({
    path: start.bwrap_path,
    args: ['--args', String(ARGUMENTS_FD), '--', ...start.command],
    descriptors: descriptorsFor(start),
  })
  lowerPriority(child.pid)
  return child
}

function descriptorsFor({ args, contents, filter, stdin }: BwrapStart): Descriptor[] {
  const list = args.map((arg) => `${arg}\0`).join('')
  return [given(stdin), 'output', 'output', given(list), 'output', given(filter), ...contents.map(given)]
}

function given(content: string | Buffer | undefined): Descriptor {
  return content === undefined || content.length === 0 ? 'empty' : { content }
}

// Whatever a command starts comes after the hub, which has to stay awake to stop it.
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // Ended already.
}

/** What bwrap reports on its status descriptor, as it comes. */
export function statusOf(child: JailProcess): Readable | undefined {
  return (streamsOf(child)[STATUS_FD] as Readable | null) ?? undefined
}

/** The streams of a child; one that could not be started for want of descriptors has none at all. */
export function streamsOf(child: JailProcess): readonly (Readable | Writable | null | undefined)[] {
  return child.stdio ?? []
}
