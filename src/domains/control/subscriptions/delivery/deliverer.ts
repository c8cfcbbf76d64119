import type { Hub } from '../../../../operations/hub.ts'
import { reportFault } from '../../../../operations/report-fault.ts'
import { partOf } from '../../../../platform/basics/part-of.ts'
import { openWorker } from '../../../../platform/work/worker.ts'
import { SUBSCRIPTION_LIMIT } from '../subscription-limits.ts'
import { DELIVERER } from '../wake-deliverer.ts'
import { type LaneClaim, laneWork, listDue } from './lane-store.ts'
import { openPoster } from './post-event.ts'
import { runLane } from './run-lane.ts'

/** Delivers the events of all subscriptions that no other hub delivers. */
export type Deliverer = ReturnType<typeof openDeliverer>

/** The one deliverer of a hub that serves; it ends with the hub. */
export const delivererOf = (hub: Hub): Deliverer => partOf(hub, startDeliverer)

function startDeliverer(hub: Hub): Deliverer {
  const deliverer = openDeliverer(hub)
  hub.workers.set(DELIVERER, deliverer)
  hub.closing.push(deliverer.close)
  return deliverer
}

function openDeliverer(hub: Hub) {
  const poster = openPoster()
  const worker = openWorker<'subscription_id', LaneClaim>({
    db: hub.db,
    system: hub.system,
    table: laneWork,
    slots: SUBSCRIPTION_LIMIT,
    find: (time, limit) => listDue(hub.db, hub.system.now().toISOString(), time, limit),
    claim: (tx, key, owner) => laneWork.claim(tx, hub, key, owner),
    work: (task) => runLane({ hub, task, poster, rests: 0 }),
    onFault: (error) => reportFault(hub.log, 'event_delivery', error),
  })
  return {
    ...worker,
    /** The subscriptions that this hub delivers at the moment. */
    lanes: () => worker.held().map(({ subscription_id }) => subscription_id),
    /** Gives up on what is being posted, too. */
    close: async () => void (await Promise.all([worker.close(), poster.close()])),
  }
}
