import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { CommandLimits } from './sandbox.ts'
import { USAGE_EVERY_MS } from './sandbox-limits.ts'

/**
 * Counts the processes of a jail and their memory while it runs. The kernel's own limits are per process,
 * and the one on processes does not bind root, so the sum is watched from outside.
 */
export function watchUsage(
  innerPid: () => number | undefined,
  limits: CommandLimits,
  exceeded: (limit: 'memory' | 'processes') => void,
): () => void {
  if (limits.processes === undefined && limits.memory_bytes === undefined) return () => {}
  const timer = setInterval(() => {
    const pid = innerPid()
    if (pid === undefined) return
    const usage = usageOf(pid, limits)
    if (usage.processes > (limits.processes ?? Infinity)) exceeded('processes')
    else if (usage.bytes > (limits.memory_bytes ?? Infinity)) exceeded('memory')
  }, USAGE_EVERY_MS)
  return () => clearInterval(timer)
}

// The jail's own /proc lists exactly the processes in it; the jail's root cannot be changed from inside.
function usageOf(pid: number, limits: CommandLimits): { processes: number; bytes: number } {
  const proc = `/proc/${pid}/root/proc`
  if (isOfMachine(proc)) return { processes: 0, bytes: 0 }
  const pids = namesIn(proc).filter((name) => /^\d+$/.test(name))
  if (limits.memory_bytes === undefined || pids.length > (limits.processes ?? Infinity)) {
    return { processes: pids.length, bytes: 0 }
  }
  const bytes = pids.reduce((sum, name) => sum + ownBytes(`${proc}/${name}/status`), 0)
  return { processes: pids.length, bytes }
}

// Until the jail has a root of its own, its first process still sees the list of all processes.
function isOfMachine(proc: string): boolean {
  try {
    return statSync(proc).dev === statSync('/proc').dev
  } catch {
    return true // There is none yet, or it has ended: nothing to count either way.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Ended between two looks.
  }
}

// Memory of its own; pages of files and shared ones have a limit elsewhere or cost nothing.
function ownBytes(status: string): number {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(status, 'latin1'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}
