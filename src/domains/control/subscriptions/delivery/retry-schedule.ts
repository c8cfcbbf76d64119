/** How long after each failed attempt the next one comes. */
const WAITS_SECONDS = [30, 120, 600, 3_600, 21_600, 86_400] as const
/** After so many failed attempts at one event the subscription is disabled. */
export const ATTEMPT_LIMIT = 6
/** The longest that a receiver can ask to be left alone. */
const LONGEST_WAIT_SECONDS = 86_400

/** How long to wait after the nth failed attempt: longer where the receiver asks for it. Nothing: give up. */
export function findWaitSeconds(attempts: number, asked_seconds = 0): number | undefined {
  if (attempts >= ATTEMPT_LIMIT) return undefined
  const planned = WAITS_SECONDS[attempts - 1] ?? LONGEST_WAIT_SECONDS
  return Math.max(planned, Math.min(asked_seconds, LONGEST_WAIT_SECONDS))
}
