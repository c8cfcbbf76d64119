import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { inheritedDescriptors } from './inherited-descriptors.ts'

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
export function startBwrap(start: BwrapStart): ChildProcess {
  const empty_fd = openSync('/dev/null', 'r')
  try {
    const child = spawn(start.bwrap_path, ['--args', String(ARGUMENTS_FD), '--', ...start.command], {
      stdio: descriptors(start, empty_fd),
      env: {},
      cwd: '/',
      detached: true,
    })
    lowerPriority(child.pid)
    // A command that does not start or does not read leaves broken pipes, which is no fault of ours.
    for (const stream of streamsOf(child)) stream?.on('error', () => {})
    send(child, ARGUMENTS_FD, start.args.map((arg) => `${arg}\0`).join(''))
    send(child, FILTER_FD, start.filter ?? '')
    start.contents.forEach((content, index) => {
      if (content !== '') send(child, FIRST_CONTENT_FD + index, content)
    })
    if (start.stdin !== undefined) send(child, 0, start.stdin)
    return child
  } finally {
    closeSync(empty_fd)
  }
}

// Whatever a command starts comes after the hub, which has to stay awake to stop it.
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // Ended already.
}

/** What bwrap reports on its status descriptor, as it comes. */
export function statusOf(child: ChildProcess): Readable | undefined {
  return (streamsOf(child)[STATUS_FD] as Readable | null) ?? undefined
}

/** The streams of a child; one that could not be started for want of descriptors has none at all. */
export function streamsOf(child: ChildProcess): readonly (Readable | Writable | null | undefined)[] {
  return (child.stdio as ChildProcess['stdio'] | undefined) ?? []
}

function descriptors(start: BwrapStart, empty_fd: number): StdioOptions {
  const list: ('ignore' | 'pipe' | number)[] = [start.stdin === undefined ? empty_fd : 'pipe', 'pipe', 'pipe']
  list.push('pipe', 'pipe', 'pipe')
  for (const content of start.contents) list.push(content === '' ? empty_fd : 'pipe')
  for (const fd of inheritedDescriptors()) {
    while (list.length < fd) list.push('ignore')
    if (fd >= list.length || list[fd] === 'ignore') list[fd] = empty_fd
  }
  return list
}

function send(child: ChildProcess, fd: number, content: string | Buffer): void {
  const stream = streamsOf(child)[fd] as Writable | null | undefined
  stream?.end(content)
}
