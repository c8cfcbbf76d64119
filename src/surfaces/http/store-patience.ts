import { setTimeout as delay } from 'node:timers/promises'

/** Whoever watches a hub gives up after some ten seconds, and a store that hangs may take minutes to fail. */
const PATIENCE_MS = 3_000

/**
 * Asks the store, and gives something else where it takes too long. A store that hangs gets no second question beside
 * the first: each would hold one of its connections.
 */
export function askPatiently<Answer>(ask: () => Promise<Answer>, otherwise: Answer): () => Promise<Answer> {
  let underWay: Promise<Answer> | undefined
  return () => {
    underWay ??= ask().finally(() => (underWay = undefined))
    return Promise.race([underWay, delay(PATIENCE_MS, otherwise, { ref: false })])
  }
}
