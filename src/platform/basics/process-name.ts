import { readFileSync, readlinkSync } from 'node:fs'
import { uptime } from 'node:os'

/** Names one process for good: numbers of processes are used again, the time of their start is not. */
export interface ProcessName {
  readonly pid: number
  /** In the kernel's own ticks since the machine's start. */
  readonly started: string
  /** Which start of which machine, and which numbering of processes on it. */
  readonly machine: string
}

const own = readOwnProcess()

/** This process; undefined where the system does not tell. */
export function findOwnProcess(): ProcessName | undefined {
  return own
}

function readOwnProcess(): ProcessName | undefined {
  const [machine, stat] = [findMachine(), findStat('self')]
  if (machine === undefined || stat === undefined) return undefined
  return { pid: process.pid, started: stat.started, machine }
}

/** Whether a process is known to be no more. One on another machine is never known to be. */
export function isGone({ pid, started, machine }: ProcessName): boolean {
  if (machine !== findOwnProcess()?.machine) return false
  if (!isRunning(pid)) return true
  const stat = findStat(String(pid))
  return stat !== undefined && (stat.started !== started || stat.state === 'Z' || stat.state === 'X')
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function findMachine(): string | undefined {
  try {
    return `${readBootId()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

function findStat(process_name: string): { state: string; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${process_name}/stat`, 'utf8')
    // The program's name comes before, in brackets, and may hold blanks and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, started] = [fields[0], fields[19]]
    return state === undefined || started === undefined ? undefined : { state, started }
  } catch {
    return undefined
  }
}

function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

/** How long this machine has been on, and which of its starts that was: what no change of the clock changes. */
export interface BootTime {
  readonly boot: string
  readonly ms: number
}

/** Undefined where the system names no start (it does on Linux). */
export function findBootTime(): BootTime | undefined {
  try {
    const boot = readBootId()
    return { boot, ms: Math.round(uptime() * 1_000) }
  } catch {
    return undefined
  }
}
