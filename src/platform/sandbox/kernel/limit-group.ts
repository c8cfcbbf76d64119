import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandLimits, Limit } from '../sandbox.ts'
import { THREADS_PER_PROCESS } from '../sandbox-limits.ts'

/** Bubblewrap's own two processes are in the group as well. */
const OWN_PROCESSES = 2
/** Of 100 that every group has: commands come after what else the machine does. */
const CPU_WEIGHT = 50
const REMOVE_TRIES = 40
const REMOVE_EVERY_MS = 50

/** A control group for one command. */
export interface LimitGroup {
  /** The file that a process enters the group by, with its number. */
  readonly entry: string
  /** What the kernel stopped or refused, if anything. */
  findHit(): Limit | undefined
  remove(): void
}

/** Makes a control group below a folder and gives it the limits of a command. */
export function makeLimitGroup(folder: string, limits: CommandLimits): LimitGroup {
  sweep(folder)
  const path = join(folder, `${ownPrefix()}${randomBytes(8).toString('hex')}`)
  mkdirSync(path)
  try {
    setLimits(path, limits)
  } catch (error) {
    tryRemove(path)
    throw error
  }
  return {
    entry: join(path, 'cgroup.procs'),
    findHit: () => hitIn(path),
    remove: () => removeSoon(path),
  }
}

function setLimits(path: string, { memory_bytes, processes }: CommandLimits): void {
  const set = (name: string, value: number) => writeFileSync(join(path, name), String(value), { flag: 'r+' })
  const trySet = (name: string, value: number) => {
    try {
      set(name, value)
    } catch {} // A kernel without swap or without this controller has no such file.
  }
  if (memory_bytes !== undefined) {
    set('memory.max', memory_bytes)
    trySet('memory.swap.max', 0)
    set('memory.oom.group', 1)
  }
  if (processes !== undefined) set('pids.max', processes * THREADS_PER_PROCESS + OWN_PROCESSES)
  trySet('cpu.weight', CPU_WEIGHT)
}

function hitIn(path: string): Limit | undefined {
  if (countOf(join(path, 'memory.events'), 'oom_kill') > 0) return 'memory'
  return countOf(join(path, 'pids.events'), 'max') > 0 ? 'processes' : undefined
}

function countOf(file: string, event: string): number {
  try {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((one) => one.startsWith(`${event} `))
    return Number(line?.split(' ')[1] ?? 0)
  } catch {
    return 0 // The group has no such limit.
  }
}

// A process that was just killed may still be leaving. What stays is swept later.
function removeSoon(path: string, tries = REMOVE_TRIES): void {
  try {
    writeFileSync(join(path, 'cgroup.kill'), '1', { flag: 'r+' })
  } catch {} // Older kernels have no such file; nothing runs there any more anyway.
  if (tryRemove(path) || tries === 0) return
  setTimeout(() => removeSoon(path, tries - 1), REMOVE_EVERY_MS).unref()
}

function tryRemove(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Removes the empty groups of hubs that are gone. One that still holds processes cannot be removed. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, namespace, pid, began] = /^knowtation-(\d+)-(\d+)-(\d+)-\d+$/.exec(name) ?? []
    if (namespace !== pidNamespace() || pid === undefined || began === beginOf(pid)) continue
    removeSoon(join(folder, name), 0)
  }
}

// Numbers of processes come again, so the time at which a process began tells whose a group is.
function ownPrefix(): string {
  return `knowtation-${pidNamespace()}-${process.pid}-${beginOf('self')}-`
}

function pidNamespace(): string | undefined {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
}

function beginOf(pid: string): string | undefined {
  try {
    // After the name, which is in brackets and may hold anything.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ')[19]
  } catch {
    return undefined
  }
}
