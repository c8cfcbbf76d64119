import type { Hub } from '../../operations/hub.ts'
import { sql } from '../../platform/storage/database.ts'
import { askPatiently } from './store-patience.ts'

const writeProbe = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('health_probe', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)
/** An answer serves for this long, so that watching the hub costs it no writes worth counting. */
const FRESH_MS = 1_000

/** Tells whether a write reaches the disk now, which is what every call needs. */
export function healthProbe(hub: Hub): () => Promise<boolean> {
  let last: { at: number; healthy: Promise<boolean> } | undefined
  const ask = askPatiently(() => probe(hub), false)
  return () => {
    const now = performance.now()
    if (last && now - last.at <= FRESH_MS) return last.healthy
    last = { at: now, healthy: ask() }
    return last.healthy
  }
}

async function probe(hub: Hub): Promise<boolean> {
  try {
    hub.db.checkInPlace?.()
    hub.witness.checkInPlace()
    await hub.db.transaction((tx) => tx.run(writeProbe, hub.system.now().toISOString()))
    return true
  } catch {
    return false
  }
}
