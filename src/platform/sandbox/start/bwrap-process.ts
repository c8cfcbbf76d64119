import type { ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { SandboxMount } from '../sandbox.ts'
import { type Descriptor, startProcess } from './start-process.ts'

// Descriptors of bwrap: its arguments, what it says about the child, the system call filter, what it waits for before
// it starts the command, and what is mounted.
const ARGUMENTS_FD = 3
export const STATUS_FD = 4
export const FILTER_FD = 5
export const GATE_FD = 6
export const FIRST_GIVEN_FD = 7

/** What bwrap is started with. Only the command itself is on its command line, which the command can read. */
export interface BwrapStart {
  readonly bwrap_path: string
  readonly args: readonly string[]
  readonly command: readonly string[]
  readonly filter: Buffer | undefined
  /** What is mounted, from FIRST_GIVEN_FD on. */
  readonly given: readonly Descriptor[]
  /** The mounts that have to stand before the command is started. */
  readonly mounts: readonly SandboxMount[]
  readonly stdin: string | undefined
  /** The file by which the command enters its control group, before anything of it runs. */
  readonly group_entry: string | undefined
  /** Whether the kernel ends it before other programs when the machine runs out of memory. */
  readonly is_expendable: boolean
  readonly locks_devices: boolean
}

// Whoever cannot enter its group is not started at all. Every child inherits both.
const ENTER =
  '[ -z "$1" ] || echo 0 > "$1" || exit 125; echo 1000 > /proc/self/oom_score_adj; shift; exec "$@"'

/**
 * Runs a program where `/dev` is read-only. Bubblewrap shows the host's own devices, and a command that runs as
 * the host's root could change their modes for everybody. They can be read and written as before.
 */
export const LOCK_DEVICES = [
  '/usr/bin/unshare',
  '--mount',
  '/bin/sh',
  '-c',
  '/bin/mount -o bind,ro /dev /dev || exit 125; exec "$@"',
  'sh',
]

/** Starts bwrap in a process group of its own, with no environment and no descriptor of ours. */
export function startBwrap(start: BwrapStart): ChildProcess {
  const bwrap = [start.bwrap_path, '--args', String(ARGUMENTS_FD), '--', ...start.command]
  const [path = '', ...args] = start.is_expendable ? enclosed(start, bwrap) : bwrap
  const child = startProcess({ path, args, descriptors: descriptorsFor(start) })
  lowerPriority(child.pid)
  return child
}

function enclosed({ group_entry, locks_devices }: BwrapStart, bwrap: readonly string[]): string[] {
  return ['/bin/sh', '-c', ENTER, 'sh', group_entry ?? '', ...(locks_devices ? LOCK_DEVICES : []), ...bwrap]
}

function descriptorsFor({ args, given, filter, stdin }: BwrapStart): Descriptor[] {
  const list = args.map((arg) => `${arg}\0`).join('')
  const [input, listed, filtered] = [contentOf(stdin), contentOf(list), contentOf(filter)]
  return [input, 'output', 'output', listed, 'output', filtered, 'gate', ...given]
}

function contentOf(content: string | Buffer | undefined): Descriptor {
  return content === undefined || content.length === 0 ? 'empty' : { content }
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

/** Lets bwrap start the command. */
export function openGate(child: ChildProcess): void {
  ;(streamsOf(child)[GATE_FD] as Writable | null)?.end('\n')
}

/** Lets go of the gate of one that has ended: it may never have been opened. */
export function closeGate(child: ChildProcess): void {
  streamsOf(child)[GATE_FD]?.destroy()
}

/** The streams of a child; one that could not be started for want of descriptors has none at all. */
export function streamsOf(child: ChildProcess): readonly (Readable | Writable | null | undefined)[] {
  return child.stdio ?? []
}
