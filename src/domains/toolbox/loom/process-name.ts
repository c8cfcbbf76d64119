import { readFileSync, readlinkSync } from 'node:fs'

/** Names one process for good: numbers of processes are used again, the time of their start is not. */
export interface ProcessName {
  readonly pid: number
  /** In the kernel's own ticks since the machine's start. */
  readonly started: string
  /** Which start of which machine, and which numbering of processes on it. */
  readonly machine: string
}

let own: ProcessName | undefined

/** This process; nothing where the system does not tell. */
export function findOwnProcess(): ProcessName | undefined {
  if (own) return own
  const [machine, stat] = [findMachine(), findStat('self')]
  if (machine !== undefined && stat !== undefined) own = { pid: process.pid, started: stat.started, machine }
  return own
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
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
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
