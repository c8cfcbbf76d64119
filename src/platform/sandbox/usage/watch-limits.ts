import type { LimitGroup } from '../kernel/limit-group.ts'
import type { CommandLimits, Limit } from '../sandbox.ts'
import { USAGE_EVERY_MS } from '../sandbox-limits.ts'
import { watchDisk } from './watch-disk.ts'
import { watchUsage } from './watch-usage.ts'

/** Watches over a jail what no limit of the kernel keeps, and asks the kernel after the limits that it keeps. */
export function watchLimits(
  innerPid: () => number | undefined,
  limits: CommandLimits,
  { group, writable }: { group: LimitGroup | undefined; writable: readonly string[] },
  exceeded: (limit: Limit) => void,
): () => void {
  const { memory_bytes: _, ...without_memory } = limits
  const unwatch = [
    watchDisk(innerPid, limits, writable, exceeded),
    // The kernel counts threads; that there are not too many processes is still to be watched.
    watchUsage(innerPid, group === undefined ? limits : without_memory, exceeded),
    ...(group === undefined ? [] : [askGroup(group, exceeded)]),
  ]
  return () => {
    for (const end of unwatch) end()
  }
}

function askGroup(group: LimitGroup, exceeded: (limit: Limit) => void): () => void {
  const timer = setInterval(() => {
    const limit = group.findHit()
    if (limit !== undefined) exceeded(limit)
  }, USAGE_EVERY_MS)
  return () => clearInterval(timer)
}
