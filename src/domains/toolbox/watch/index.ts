import { alertAcknowledge } from './alert-acknowledge.ts'
import { alertList } from './alert-list.ts'
import { lockAdd } from './lock-add.ts'
import { lockList } from './lock-list.ts'
import { lockRelease } from './lock-release.ts'
import { pruneStream } from './prune-stream.ts'
import { violationList } from './violation-list.ts'

/** What the owner can see of agents that go against the rules, and how to stop them. */
export const watchOperations = [violationList, alertList, alertAcknowledge, lockAdd, lockList, lockRelease]

/** What is done for the stream while the hub runs. */
export const watchChores = [{ name: 'prune the security stream', every_ms: 600_000, run: pruneStream }]
