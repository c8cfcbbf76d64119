import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { SandboxUnavailable } from '../sandbox.ts'
import { INHERITED_FD_MAX } from '../sandbox-limits.ts'

const CLOSED_ON_EXEC = 0o2000000

/**
 * What a descriptor of a process is to be: something that we read, something that it reads, what we write to it later
 * on, nothing to read, or a copy of one of ours.
 */
export type Descriptor =
  | 'output'
  | 'gate'
  | 'empty'
  | { readonly content: string | Buffer }
  | { readonly held: number }

/** A program, its arguments without its own name, and its descriptors from 0 on. */
export interface ProcessStart {
  readonly path: string
  readonly args: readonly string[]
  readonly descriptors: readonly Descriptor[]
}

/** Starts a program as the leader of a session of its own, in `/`, without variables or descriptors of ours. */
export function startProcess({ path, args, descriptors }: ProcessStart): ChildProcess {
  const empty_fd = openSync('/dev/null', 'r')
  try {
    const stdio = stdioOf(descriptors, empty_fd)
    const child = spawn(path, args, { stdio, env: {}, cwd: '/', detached: true })
    // A command that does not start or does not read leaves broken pipes, which is no fault of ours.
    for (const stream of child.stdio ?? []) stream?.on('error', () => {})
    descriptors.forEach((descriptor, fd) => {
      if (typeof descriptor !== 'object' || !('content' in descriptor)) return
      const stream = child.stdio?.[fd] as Writable | null | undefined
      stream?.end(descriptor.content)
    })
    return child
  } finally {
    closeSync(empty_fd)
  }
}

function stdioOf(descriptors: readonly Descriptor[], empty_fd: number): StdioOptions {
  const list: ('ignore' | 'pipe' | number)[] = descriptors.map((one) => {
    if (one === 'empty') return empty_fd
    return typeof one === 'object' && 'held' in one ? one.held : 'pipe'
  })
  for (const fd of inheritedDescriptors()) {
    while (list.length < fd) list.push('ignore')
    if (fd >= list.length || list[fd] === 'ignore') list[fd] = empty_fd
  }
  return list
}

/**
 * The descriptors that every child of this process would receive because whoever started it left them
 * open. One of a folder outside would be a way out of the sandbox.
 */
function inheritedDescriptors(): number[] {
  const open = readdirSync('/proc/self/fd').map(Number)
  const inherited = open.filter((fd) => fd > 2 && isPassedOn(fd))
  if (inherited.every((fd) => fd < INHERITED_FD_MAX)) return inherited
  throw new SandboxUnavailable(
    `This process was started with a descriptor above ${INHERITED_FD_MAX} left open.`,
    'Start it from a process that closes its files on exec.',
  )
}

function isPassedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    return false // The listing itself, closed by now.
  }
}
