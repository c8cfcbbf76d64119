import type { Hub } from '../../../../operations/hub.ts'
import { reportFault } from '../../../../operations/report-fault.ts'
import { SUBSCRIPTION_LIMIT } from '../subscription-limits.ts'
import { setDeliverer, type Wakeable } from '../wake-deliverer.ts'
import { claimLane, type LaneClaim, listDue } from './lane-store.ts'
import { openPoster, type PosterOptions } from './post-event.ts'
import { LEASE_MS, runLane } from './run-lane.ts'

/** When to look after being woken: who publishes wakes before the commit, which may take its time. */
const LOOK_AFTER_MS = [5, 20, 100, 500, 2_000] as const

/** Delivers the events of all subscriptions that no other hub delivers. */
export interface Deliverer extends Wakeable {
  /** Takes up what is due now. */
  look(): Promise<void>
  /** The subscriptions that this hub delivers at the moment. */
  lanes(): readonly string[]
  close(): Promise<void>
}

const deliverers = new WeakMap<Hub, Deliverer>()

/** The one deliverer of a hub that serves; it ends with the hub. */
export function delivererOf(hub: Hub, options: PosterOptions = {}): Deliverer {
  const known = deliverers.get(hub)
  if (known) return known
  const deliverer = openDeliverer(hub, options)
  deliverers.set(hub, deliverer)
  setDeliverer(hub, deliverer)
  hub.closing.push(deliverer.close)
  return deliverer
}

function openDeliverer(hub: Hub, options: PosterOptions): Deliverer {
  const owner = `hub_${hub.system.random(12)}`
  const poster = openPoster(options)
  const stop = new AbortController()
  const lanes = new Map<string, Promise<void>>()

  async function begin(subscription_id: string): Promise<void> {
    const held_until = performance.now() + LEASE_MS
    const now = hub.system.now()
    const lease_until = new Date(now.getTime() + LEASE_MS).toISOString()
    const claim = await hub.db.transaction((tx) =>
      claimLane(tx, subscription_id, owner, now.toISOString(), lease_until),
    )
    if (claim) await run(claim, held_until)
  }

  const run = (claim: LaneClaim, held_until: number) =>
    runLane({ hub, claim, poster, signal: stop.signal, held_until, rests: 0 })

  async function look(): Promise<void> {
    const due = await listDue(hub.db, hub.system.now().toISOString(), SUBSCRIPTION_LIMIT)
    for (const id of due) {
      if (lanes.has(id) || stop.signal.aborted) continue
      // A fault leaves the lease to run out: somebody tries again after that.
      const lane = begin(id).catch((error: unknown) => reportFault(hub.log, 'event_delivery', error))
      lanes.set(
        id,
        lane.finally(() => lanes.delete(id)),
      )
    }
  }

  const timer = lookingTimer(look, (error) => reportFault(hub.log, 'event_delivery', error))
  return {
    look,
    wake: timer.wake,
    lanes: () => [...lanes.keys()],
    async close() {
      stop.abort()
      await timer.close()
      await poster.close()
      await Promise.allSettled(lanes.values())
    },
  }
}

/** Looks soon after each waking, then less and less often, then no more. */
function lookingTimer(look: () => Promise<void>, onFault: (error: unknown) => void) {
  let step = 0
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let closed = false
  const schedule = () => {
    const wait_ms = LOOK_AFTER_MS[step]
    if (closed || wait_ms === undefined) return
    step++
    timer = setTimeout(fire, wait_ms)
  }
  const fire = () => {
    timer = undefined
    looking = look()
      .catch(onFault)
      .finally(() => {
        looking = undefined
        if (!timer) schedule()
      })
  }
  return {
    wake() {
      const isSoon = timer !== undefined && step <= 2
      step = 0
      if (isSoon || looking) return
      clearTimeout(timer)
      schedule()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await looking
    },
  }
}
