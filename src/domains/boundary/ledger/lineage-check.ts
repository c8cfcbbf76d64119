import { lineageSet } from '../../../boundary/index.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { isLedgerId } from '../plain-id.ts'
import { findEntry } from './ledger-store.ts'

/** The first id that is no entry of this tenant, or one that came after the snapshot. */
export async function findLineageFault(
  db: Reader,
  wanted: { vault_id: string; tenant_id: string; ids: readonly string[]; snapshot_at: string },
): Promise<string | undefined> {
  const moment = Date.parse(wanted.snapshot_at)
  for (const id of lineageSet(wanted.ids)) {
    if (!isLedgerId(id)) return id
    const entry = await findEntry(db, wanted.vault_id, id)
    const isThere = entry?.tenant_id === wanted.tenant_id && Date.parse(entry.created_at) <= moment
    if (!isThere) return id
  }
  return undefined
}
