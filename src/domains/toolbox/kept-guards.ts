import type { Guard, GuardScope } from '../../platform/guard/guard.ts'
import { openGuard } from '../../platform/guard/open-guard.ts'

/** Guards that stay open from call to call. None is closed while a call works with it. */
export interface KeptGuards {
  /** Works with the guard of a scope, which is opened where none is kept. The key tells scopes apart. */
  use<Result>(scope: KeyedScope, work: (guard: Guard) => Promise<Result>): Promise<Result>
  close(): void
}

/** A scope and what it is known by; made once for many calls. */
export interface KeyedScope {
  readonly key: string
  readonly scope: GuardScope
}

interface KeptGuard {
  readonly guard: Guard
  users: number
}

/** Keeps as many guards as told; of more, the longest unused are closed as soon as nobody needs them. */
export function keepGuards(limit: number): KeptGuards {
  const kept = new Map<string, KeptGuard>()
  let newest: string | undefined
  function closeOld(): void {
    for (const [key, { guard, users }] of kept) {
      if (kept.size <= limit) return
      if (users > 0) continue
      kept.delete(key)
      guard.close()
    }
  }
  return {
    async use({ key, scope }, work) {
      const one = kept.get(key) ?? { guard: openGuard(scope), users: 0 }
      if (key !== newest) kept.delete(key)
      kept.set(key, one)
      newest = key
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
