import type { Hub } from '../../../operations/hub.ts'
import { pruneEvents } from '../../../platform/alerts/prune-events.ts'
import { alertAcknowledge } from './alert-acknowledge.ts'
import { alertList } from './alert-list.ts'
import { lockAdd } from './lock-add.ts'
import { lockList } from './lock-list.ts'
import { lockRelease } from './lock-release.ts'
import { violationList } from './violation-list.ts'

/** What the owner can see of agents that go against the rules, and how to stop them. */
export const watchOperations = [violationList, alertList, alertAcknowledge, lockAdd, lockList, lockRelease]

/** Keeps the security stream within its limits; what is older than audit records may be goes with them. */
async function pruneStream(hub: Hub): Promise<void> {
  const { max_age_days } = hub.config.audit
  await pruneEvents(hub.db, { max_age_days }, hub.system.now())
}

/** What is done for the stream while the hub runs. */
export const watchChores = [{ name: 'prune the security stream', every_ms: 600_000, run: pruneStream }]
