import type { Hub } from '../../../operations/hub.ts'

/** Values that count once. */
export interface OnceValues {
  /** A new one, for a form that this holder is about to get. */
  give(holder: string): string
  /** Whether the value was given to the holder and has not come back before. From now on it has. */
  take(holder: string, value: string): boolean
}

/** Forms that may be open at a time; the oldest one is out of date first. */
const OPEN_LIMIT = 256

/**
 * For forms that must not be sent twice, by a reload for example. A value counts because it was given, not because it
 * was not seen before: what was forgotten, as by a restart, is refused.
 */
export function onceValues({ system }: Hub): OnceValues {
  const open = new Set<string>()
  return {
    give(holder) {
      const value = system.random(16)
      const [oldest] = open
      if (open.size >= OPEN_LIMIT && oldest !== undefined) open.delete(oldest)
      open.add(`${holder}|${value}`)
      return value
    },
    take: (holder, value) => open.delete(`${holder}|${value}`),
  }
}
