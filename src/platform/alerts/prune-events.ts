import { type Database, sql } from '../storage/database.ts'
import { firstIdAt } from './event-id.ts'

/** One agent keeps no more events than this; its oldest go first, so that it cannot push out those of others. */
const AGENT_EVENT_LIMIT = 10_000
/** All agents together keep no more events than this. */
export const EVENT_LIMIT = 100_000
/** One transaction removes at most this many, so that calls never wait behind the cleaning. */
const BATCH = 500
/** Agents whose events are cut back in one go; the rest have their turn the next time. */
const AGENT_BATCH = 200

const DAY_MS = 86_400_000

const tooMany = sql<{ agent_id: string; stored: number }>(
  'SELECT agent_id, COUNT(*) AS stored FROM toolbox_events GROUP BY agent_id HAVING COUNT(*) > ? LIMIT ?',
)
const countAll = sql<{ stored: number }>('SELECT COUNT(*) AS stored FROM toolbox_events')
const deleteOlder = sql(
  `DELETE FROM toolbox_events WHERE event_id IN
   (SELECT event_id FROM toolbox_events WHERE event_id < ? ORDER BY event_id LIMIT ?)`,
)
const deleteOldest = sql(
  'DELETE FROM toolbox_events WHERE event_id IN (SELECT event_id FROM toolbox_events ORDER BY event_id LIMIT ?)',
)
const deleteOldestOf = sql(
  `DELETE FROM toolbox_events WHERE event_id IN
   (SELECT event_id FROM toolbox_events WHERE agent_id = ? ORDER BY event_id LIMIT ?)`,
)
const deleteAcknowledged = sql('DELETE FROM toolbox_alerts WHERE acknowledged_at < ?')

/** How much of the security stream is kept. */
export interface EventRetention {
  max_age_days: number
  agent_limit?: number
  limit?: number
}

/** Removes what is too old or too much, oldest first, and alerts that were settled as long ago. */
export async function pruneEvents(db: Database, keep: EventRetention, now: Date): Promise<void> {
  const { agent_limit = AGENT_EVENT_LIMIT, limit = EVENT_LIMIT } = keep
  const oldest = now.getTime() - keep.max_age_days * DAY_MS
  const older = firstIdAt(oldest)
  await inBatches(Number.POSITIVE_INFINITY, (size) =>
    db.transaction((tx) => tx.run(deleteOlder, older, size)),
  )
  for (const { agent_id, stored } of await db.all(tooMany, agent_limit, AGENT_BATCH))
    await inBatches(stored - agent_limit, (size) =>
      db.transaction((tx) => tx.run(deleteOldestOf, agent_id, size)),
    )
  const stored = (await db.get(countAll))?.stored ?? 0
  await inBatches(stored - limit, (size) => db.transaction((tx) => tx.run(deleteOldest, size)))
  await db.transaction((tx) => tx.run(deleteAcknowledged, new Date(oldest).toISOString()))
}

async function inBatches(wanted: number, remove: (size: number) => Promise<number>): Promise<void> {
  for (let left = wanted; left > 0; ) {
    const size = Math.min(BATCH, left)
    const gone = await remove(size)
    if (gone < size) return
    left -= gone
  }
}
