import { setTimeout as delay } from 'node:timers/promises'

/** Whoever watches a hub gives up after some ten seconds, and a store that hangs may take minutes to fail. */
const PATIENCE_MS = 3_000

/** What the store answers, or something else where it takes too long. */
export function unlessLate<Answer>(answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  return Promise.race([answer, delay(PATIENCE_MS, otherwise, { ref: false })])
}
