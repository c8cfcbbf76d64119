import { afterEach } from 'vitest'
import { delivererOf } from '../../src/domains/control/subscriptions/delivery/deliverer.ts'
import type { TestHub, TestHubOptions } from '../harness/test-hub.ts'
import { startRestHub } from '../rest/rest-hub.fixture.ts'
import { subscriberOf } from './subscribers.ts'

const hubs: TestHub[] = []

/** Ends the hubs of a test file after each of its tests. */
export function endHubsAfterEach(): void {
  afterEach(async () => {
    for (const hub of hubs.splice(0)) await hub.close()
  })
}

/** A hub that delivers, and its owner's own subscriptions. */
export async function startDelivering(options: TestHubOptions = {}) {
  const hub = await startRestHub(options)
  hubs.push(hub)
  return { hub, deliverer: delivererOf(hub.hub), agent: subscriberOf(hub) }
}
