import type { Guard, GuardScope } from '../../platform/guard/guard.ts'
import { openGuard } from '../../platform/guard/open-guard.ts'

/** A cache of open guards, least recently used out first (LRU). None is closed while a call works with it. */
export interface KeptGuards {
  /** Works with the guard of a scope, which is opened where none is kept. */
  use<Result>(scope: GuardScope, work: (guard: Guard) => Promise<Result>): Promise<Result>
  close(): void
}

interface KeptGuard {
  readonly guard: Guard
  users: number
}

/** Keeps as many guards as told; of more, the longest unused are closed as soon as nobody needs them. */
export function keepGuards(limit: number): KeptGuards {
  const kept = new Map<string, KeptGuard>()
  function closeOld(): void {
    for (const [key, { guard, users }] of kept) {
      if (kept.size <= limit) return
      if (users > 0) continue
      kept.delete(key)
      guard.close()
    }
  }
  return {
    async use(scope, work) {
      const key = JSON.stringify(scope)
      const one = kept.get(key) ?? { guard: openGuard(scope), users: 0 }
      kept.delete(key)
      kept.set(key, one)
      one.users += 1
      try {
        return await work(one.guard)
      } finally {
        one.users -= 1
        closeOld()
      }
    },
    close() {
      for (const { guard } of kept.values()) guard.close()
      kept.clear()
    },
  }
}
