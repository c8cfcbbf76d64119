import type { System } from '../basics/system.ts'

export const EVENT_ID = /^evt_[0-9a-f]{24}$/

const TIME_DIGITS = 12

/** A new id that sorts by time. */
export function makeEventId(system: System, now: Date): string {
  return `${firstIdAt(now.getTime())}${system.random(6)}`
}

/** What every id of this moment, and none before it, begins with or follows. */
export function firstIdAt(time_ms: number): string {
  return `evt_${Math.max(0, time_ms).toString(16).padStart(TIME_DIGITS, '0')}`
}
