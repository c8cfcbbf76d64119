import { performance } from 'node:perf_hooks'
import type { CommandLimits, Limit } from '../sandbox.ts'
import {
  LOOK_PAUSE_FACTOR,
  LOOK_PAUSE_MAX_MS,
  THREADS_PER_PROCESS,
  USAGE_EVERY_MS,
} from '../sandbox-limits.ts'
import { type JailView, viewJail } from './jail-processes.ts'
import { watchMemory } from './watch-memory.ts'

/**
 * Counts the processes, threads and memory of a jail while it runs. The kernel's limits for single processes
 * know no sum, and the one on threads does not bind root, so the sum is watched from outside.
 */
export function watchUsage(
  innerPid: () => number | undefined,
  limits: Pick<CommandLimits, 'processes' | 'memory_bytes'>,
  exceeded: (limit: Limit) => void,
): () => void {
  const { processes, memory_bytes } = limits
  if (processes === undefined && memory_bytes === undefined) return () => {}
  const memory = memory_bytes === undefined ? undefined : watchMemory(memory_bytes)
  let timer: NodeJS.Timeout
  const look = (): void => {
    const began_ms = performance.now()
    const pid = innerPid()
    const view = pid === undefined ? undefined : viewJail(pid)
    if (view !== undefined && isCrowded(view, processes)) exceeded('processes')
    else if (view !== undefined && memory?.isExceeded(view)) exceeded('memory')
    timer = setTimeout(look, pauseAfter(performance.now() - began_ms))
  }
  timer = setTimeout(look, USAGE_EVERY_MS)
  return () => {
    clearTimeout(timer)
    memory?.close()
  }
}

function isCrowded({ processes }: JailView, limit = Infinity): boolean {
  const threads = processes.reduce((sum, process) => sum + process.threads, 0)
  return processes.length > limit || threads > limit * THREADS_PER_PROCESS
}

// A jail with a thousand processes must not keep the hub from its other work.
function pauseAfter(took_ms: number): number {
  return Math.min(LOOK_PAUSE_MAX_MS, Math.max(USAGE_EVERY_MS, took_ms * LOOK_PAUSE_FACTOR))
}
