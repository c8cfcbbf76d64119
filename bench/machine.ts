import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MS = 300

/** The share of processor time that nobody used over a short look: what this machine had to spare. */
export async function idleShare(): Promise<number> {
  const before = processorTicks()
  await pause(LOOK_MS)
  const after = processorTicks()
  return (after.idle - before.idle) / Math.max(1, after.all - before.all)
}

function processorTicks(): { idle: number; all: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  const ticks = line.trim().split(/\s+/).slice(1).map(Number)
  return { idle: (ticks[3] ?? 0) + (ticks[4] ?? 0), all: ticks.reduce((sum, tick) => sum + tick, 0) }
}

/** Microseconds on a processor that all threads of a process have had so far. */
export function cpuMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanos = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanos.reduce((sum, each) => sum + each, 0) / 1_000
}

/** A process and all it has started, directly or not, that still run. */
export function treeOf(pid: number): number[] {
  const tree = [pid]
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), findParent(name)])
  // Grows while it is walked: children of children follow.
  for (const one of tree)
    for (const [child, parent] of parents) if (parent === one) tree.push(child as number)
  return tree
}

function findParent(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name stands in parentheses and may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** Whether a process is still there and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The memory a process holds at this moment, in megabytes of 1,000,000 bytes. */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kibibytes) * 1_024) / 1_000_000
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}
