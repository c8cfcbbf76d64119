import type { Hub } from '../../../operations/hub.ts'
import { purgeIntents } from './intent-store.ts'

/** Whoever began a connection can look at how it ended for this long. */
const KEPT_MS = 7 * 86_400_000

async function purgeEndedIntents({ db, system }: Hub): Promise<void> {
  const ended_before = new Date(system.now().getTime() - KEPT_MS)
  await db.transaction((tx) => purgeIntents(tx, ended_before))
}

/** What intents leave behind is cleared away. */
export const intentChores = [
  { name: 'purge connections that were begun and never made', every_ms: 3_600_000, run: purgeEndedIntents },
]
