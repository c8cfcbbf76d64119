import type { Hub } from '../../../operations/hub.ts'
import { delivererOf } from './delivery/deliverer.ts'
import { pruneSubscriptions } from './prune-subscriptions.ts'

/** What event subscriptions do by themselves while a hub serves. */
export const subscriptionChores = [
  { name: 'deliver events', every_ms: 2_000, run: (hub: Hub) => delivererOf(hub).look() },
  { name: 'prune events of subscriptions', every_ms: 60_000, run: pruneSubscriptions },
]
