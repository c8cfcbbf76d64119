import type { Hub } from '../../operations/hub.ts'
import { purgeApprovals } from '../../platform/approvals/approval-moves.ts'
import { purgePermits } from '../../platform/approvals/permits.ts'
import { purgeAttempts } from '../../platform/identity/attempts.ts'
import { purgeMcpConsents } from '../../platform/identity/mcp/mcp-consents.ts'
import { purgeOauthRecords } from '../../platform/identity/mcp/oauth-records.ts'
import { purgeDeviceGrants } from '../../platform/identity/owner-device-grants.ts'
import { purgeLinks } from '../../platform/identity/owner-links.ts'
import { purgePresence } from '../../platform/identity/owner-presence.ts'
import { purgeOwnerSessions } from '../../platform/identity/owner-sessions.ts'
import { approvalChores } from './approvals/tell-approvals.ts'
import { purgeIntents } from './intents/intent-store.ts'
import { pinChores } from './pins/tell-reviews.ts'
import { runChores } from './runs/run-chores.ts'
import { pruneEvents } from './spine/spine-store.ts'
import { delivererOf } from './subscriptions/delivery/deliverer.ts'
import { pruneSubscriptions } from './subscriptions/prune-subscriptions.ts'

/** What has ended is kept this long, so that who comes late is told that it is over. */
const KEPT_MS = 3_600_000
/** What programs were allowed once can be looked up for longer. */
const CONSENTS_KEPT_MS = 90 * 86_400_000
/** Whoever began a connection can look at how it ended for this long. */
const INTENTS_KEPT_MS = 7 * 86_400_000

async function purgeEnded(hub: Hub): Promise<void> {
  const ended_before = new Date(hub.system.now().getTime() - KEPT_MS)
  await hub.db.transaction(async (tx) => {
    await purgeLinks(tx, ended_before)
    await purgeDeviceGrants(tx, ended_before)
    await purgeOwnerSessions(tx, ended_before)
    await purgeAttempts(tx, ended_before)
    await purgeOauthRecords(tx, ended_before)
    await purgeMcpConsents(tx, new Date(ended_before.getTime() - CONSENTS_KEPT_MS))
    await pruneEvents(tx)
    await purgePresence(tx, ended_before)
    await purgeApprovals(tx, hub.system.now())
    await purgePermits(tx, hub.system.now())
  })
}

async function purgeEndedIntents({ db, system }: Hub): Promise<void> {
  const ended_before = new Date(system.now().getTime() - INTENTS_KEPT_MS)
  await db.transaction((tx) => purgeIntents(tx, ended_before))
}

/** What the domain does by itself, now and then. */
export const controlChores = [
  { name: 'purge what has ended of the owner', every_ms: 600_000, run: purgeEnded },
  ...approvalChores,
  ...pinChores,
  { name: 'purge connections that were begun and never made', every_ms: 3_600_000, run: purgeEndedIntents },
  { name: 'deliver events', every_ms: 2_000, run: (hub: Hub) => delivererOf(hub).look() },
  { name: 'prune events of subscriptions', every_ms: 60_000, run: pruneSubscriptions },
  ...runChores,
]
