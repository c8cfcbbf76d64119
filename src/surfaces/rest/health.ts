import type { Hub } from '../../operations/hub.ts'
import { sql } from '../../platform/storage/database.ts'
import { unlessLate } from './store-patience.ts'

const writeProbe = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('health_probe', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)
/** An answer serves for this long, so that watching the hub costs it no writes worth counting. */
const FRESH_MS = 1_000

/** Tells whether a write reaches the disk now, which is what every call needs. */
export function healthProbe(hub: Hub): () => Promise<boolean> {
  let last: { at: number; healthy: Promise<boolean> } | undefined
  let underWay: Promise<boolean> | undefined
  return () => {
    const now = performance.now()
    if (last && now - last.at <= FRESH_MS) return last.healthy
    // A store that hangs gets no second probe beside the first: each would hold one of its connections.
    underWay ??= probe(hub).finally(() => (underWay = undefined))
    last = { at: now, healthy: unlessLate(underWay, false) }
    return last.healthy
  }
}

async function probe(hub: Hub): Promise<boolean> {
  try {
    await hub.db.transaction((tx) => tx.run(writeProbe, hub.system.now().toISOString()))
    return true
  } catch {
    return false
  }
}
