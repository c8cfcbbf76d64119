import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hub } from '../../operations/hub.ts'
import { hubRecord } from '../../operations/hub-record.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import { sql } from '../../platform/storage/database.ts'
import { canonicalBundle, type FlowBundle, type FlowBundleDraft } from './bundle/flow-record.ts'
import { insertFlowVersion } from './flow-store.ts'

const readMark = sql<{ value: string }>('SELECT value FROM hub_meta WHERE key = ?')
const writeMark = sql(
  'INSERT INTO hub_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
)

/** Puts the starter flows into a vault when it is first read. A version that is there already stays as it is. */
export function ensureStarterFlows(hub: Hub, vault_id: string): Promise<void> {
  return hub.once(`starters|${vault_id}`, async () => {
    // The mark spares every process after the first from reading the files again.
    const mark = `starters:${vault_id}`
    if ((await hub.db.get(readMark, mark))?.value === PACKAGE_VERSION) return
    const { bundles, complete } = await readStarterBundles(hub)
    await hub.db.transaction(async (tx) => {
      let added = 0
      for (const bundle of bundles)
        if (await insertFlowVersion(tx, vault_id, bundle, hub.system.now())) added++
      if (complete) await tx.run(writeMark, mark, PACKAGE_VERSION)
      if (added > 0)
        await hub.audit.appendIn(tx, [
          hubRecord(hub, 'starter_flows_seeded', vault_id, { kind: 'vault', id: vault_id }),
        ])
    })
  })
}

async function readStarterBundles(hub: Hub): Promise<{ bundles: FlowBundle[]; complete: boolean }> {
  // Short commands feel what it takes to load, and only the first of a home needs it.
  const { findBundleFault } = await import('./bundle/check-bundle.ts')
  const files = readdirSync(hub.starters)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  const bundles = files.flatMap((name) => readBundle(hub, join(hub.starters, name), findBundleFault) ?? [])
  return { bundles, complete: bundles.length === files.length }
}

/** A bundle with any fault is left out whole; the others are not held up by it. */
function readBundle(
  hub: Hub,
  file: string,
  findBundleFault: (value: unknown) => string | undefined,
): FlowBundle | undefined {
  let fault: string | undefined
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    fault = findBundleFault(value)
    if (!fault) return canonicalBundle(value as FlowBundleDraft)
  } catch {
    fault = 'it cannot be read as JSON'
  }
  hub.log.error({ file, fault }, 'starter flow rejected')
  return undefined
}
