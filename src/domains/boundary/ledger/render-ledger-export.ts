import { hash } from 'node:crypto'
import type { Hub } from '../../../operations/hub.ts'
import { LedgerFault } from './ledger-fault.ts'
import { GENESIS_HASH, type LedgerRow } from './ledger-record.ts'
import { findHead, readStretch } from './ledger-store.ts'
import { checkEntry } from './verify-ledger.ts'

/** One call exports no more entries than this. */
export const EXPORT_PAGE_LIMIT = 2_000

export interface LedgerExport {
  lines: string[]
  next_after_seq: number | null
}

/** The key as a ledger's export names it: a signature of one chain can never pass for one of another. */
function exportKeyId(key_id: string, vault_id: string, tenant_id: string): string {
  return `${exportKeyPrefix(vault_id, tenant_id)}${key_id}`
}

/** What the signed name of the key begins with in exports of this chain, and of no other. */
export function exportKeyPrefix(vault_id: string, tenant_id: string): string {
  return `ledger:${hash('sha256', JSON.stringify([vault_id, tenant_id])).slice(0, 16)}:`
}

/**
 * A stretch of a tenant's chain as lines of JSON: `ledger` with the public key and where it begins, its
 * `entry`s as they are hashed, and a signed `end`. A stretch that is not sound is not signed.
 */
export async function renderLedgerExport(
  hub: Hub,
  wanted: { vault_id: string; tenant_id: string; after_seq: number; limit: number; exported_at: string },
): Promise<LedgerExport> {
  const { vault_id, tenant_id, exported_at, limit } = wanted
  const head = await findHead(hub.db, vault_id, tenant_id)
  const last_seq = head?.seq ?? 0
  const start = await placeBefore(hub, wanted, Math.min(wanted.after_seq, last_seq))
  const rows = await readStretch(hub.db, wanted, { after_seq: start.seq, last_seq, limit })
  const end = rows.reduce((place, row) => checkEntry(row, place), start)
  if (rows.length < limit && end.seq < last_seq) throw new LedgerFault(`Entry ${end.seq + 1} is missing.`)
  const key_id = exportKeyId(hub.audit.key.key_id, vault_id, tenant_id)
  const opening = { key_id, exported_at, from_seq: start.seq + 1, previous_hash: start.hash }
  const bounds = { ...opening, seq: end.seq, hash: end.hash, records: rows.length }
  const signature = hub.audit.key.signExport({ ...bounds, checkpoints: 0 })
  const { public_key } = hub.audit.key
  const lines = [
    { kind: 'ledger', format: 1, vault_id, tenant_id, public_key, ...opening },
    ...rows.map((row) => ({ kind: 'entry', ...row, vault_id: undefined, tenant_id: undefined })),
    { kind: 'end', ...bounds, signature },
  ]
  return {
    lines: lines.map((line) => JSON.stringify(line)),
    next_after_seq: end.seq < last_seq ? end.seq : null,
  }
}

async function placeBefore(
  hub: Hub,
  chain: { vault_id: string; tenant_id: string },
  seq: number,
): Promise<{ seq: number; hash: string }> {
  if (seq === 0) return { seq, hash: GENESIS_HASH }
  const [row] = await readStretch(hub.db, chain, { after_seq: seq - 1, last_seq: seq, limit: 1 })
  if (!row) throw new LedgerFault(`Entry ${seq} is missing.`)
  return { seq, hash: (row as LedgerRow).hash }
}
