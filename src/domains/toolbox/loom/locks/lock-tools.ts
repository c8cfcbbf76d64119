import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../../platform/basics/plain-log.ts'
import type { System } from '../../../../platform/basics/system.ts'
import type { ToolCall } from '../../tool.ts'

/** What locks are kept with: where time, chance and waiting come from. */
export interface LockTools extends System {
  readonly log: Pick<Log, 'warn'>
  /** Ends the waiting when nobody wants the answer any more. */
  readonly signal: AbortSignal
  /** Goes on evenly, whatever is done to the clock. */
  elapsed_ms(): number
  sleep(ms: number): Promise<void>
}

/** The tools that a call of the toolbox brings. */
export function lockToolsOf(call: Pick<ToolCall<unknown>, 'hub' | 'signal'>): LockTools {
  const { hub, signal } = call
  return {
    now: hub.system.now,
    random: hub.system.random,
    log: hub.log,
    signal,
    elapsed_ms: () => performance.now(),
    // An ended wait shows in the signal.
    sleep: (ms) => pause(ms, undefined, { signal }).catch(() => {}),
  }
}
