import { hash } from 'node:crypto'
import type { Hub } from '../../operations/hub.ts'
import { boundedCache } from '../../platform/basics/cache.ts'
import { partOf } from '../../platform/basics/part-of.ts'

/** So long a hit is remembered. */
const WINDOW_MS = 3_600_000
/** So many an agent may have by accident: an environment has ordinary words too, such as a region. */
const TOLERATED = 2
const AGENTS_KEPT = 10_000
const HITS_KEPT = 1_000

/** How often an agent met values that the hub knows exactly. */
export interface KnownHits {
  /** Takes note of one that a call met, in what was given to it or in what it found. */
  note(value: string): void
  /** Ends a call with what it was given; tells whether that is more than happens by accident. */
  endCall(given: ReadonlySet<string>): boolean
}

/**
 * Whoever writes guesses and looks which of them are hidden learns what is in the hub's environment. A hidden value
 * looks like any other one, but it is hidden: what is left is to count. A call is counted if it meets a value that
 * its agent has not met within the hour, or is given any. From the third hit on, such a call is a violation.
 */
export function knownHitsOf(hub: Hub, vault_id: string, agent_id: string): KnownHits {
  return partOf(hub, openHits)(`${vault_id}|${agent_id}`)
}

const openHits = ({ system }: Hub) =>
  boundedCache<KnownHits>(AGENTS_KEPT, () => hitsOfAgent(() => system.now().getTime()))

function hitsOfAgent(now: () => number): KnownHits {
  /** Values by their digests, and guesses that were given again: when they were met. */
  const hits = new Map<string, number>()
  let hasNew = false
  let guesses = 0
  const add = (hit: string) => {
    if (hits.has(hit) || hits.size >= HITS_KEPT) return
    hits.set(hit, now())
    hasNew = true
  }
  const forgetOld = () => {
    for (const [hit, at] of hits) if (now() - at > WINDOW_MS) hits.delete(hit)
  }
  return {
    note(value) {
      forgetOld()
      add(hash('sha256', value, 'base64'))
    },
    endCall(given) {
      if (!hasNew && given.size === 0) return false
      forgetOld()
      for (const value of given) add(hash('sha256', value, 'base64'))
      if (given.size > 0 && !hasNew) add(`guess ${guesses++}`)
      hasNew = false
      return hits.size > TOLERATED
    },
  }
}
