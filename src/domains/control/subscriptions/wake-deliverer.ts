import type { Hub } from '../../../operations/hub.ts'

/** What a hub that delivers can be told. */
export interface Wakeable {
  /** There is, or will be after a commit, something to deliver. */
  wake(): void
}

const deliverers = new WeakMap<Hub, Wakeable>()

/** Says that this hub delivers. */
export function setDeliverer(hub: Hub, deliverer: Wakeable): void {
  deliverers.set(hub, deliverer)
}

/** Tells the hub's deliverer, where it has one: a command line has none, and leaves it to the hub that serves. */
export function wakeDeliverer(hub: Hub): void {
  deliverers.get(hub)?.wake()
}
