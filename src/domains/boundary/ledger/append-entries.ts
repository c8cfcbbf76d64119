import { lineageSet } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { addSteps } from '../../../platform/audit/ledger-journal.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { tellAudit } from './begin-journal.ts'
import { chainHash, type LedgerRow, newLedgerIds } from './ledger-record.ts'
import { insertEntries, writeHead } from './ledger-store.ts'
import { type Chain, lockChain } from './lock-chain.ts'
import { sealOf } from './seal-of.ts'

/** An entry to be added; the ledger itself decides its place, its moment and its hash. */
export interface NewEntry {
  /** Chosen by the owner, or by the hub when left out. */
  id?: string
  robot_id: string | null
  module: string
  source: string
  type: string
  state: string
  payload: object
  depends_on: readonly string[]
  execution_id: string | null
  /** No second entry can ever have the same one. */
  event_key: string | null
}

/** Adds entries to the end of a tenant's chain, inside the transaction of the act that made them. */
export async function appendEntries(
  tx: Transaction,
  hub: Pick<Hub, 'audit' | 'system'>,
  chain: Chain,
  entries: readonly NewEntry[],
  now: Date,
): Promise<LedgerRow[]> {
  let { seq, hash } = await lockChain(tx, hub, chain)
  const ids = newLedgerIds(now, hub.system.random, entries.length)
  const rows = entries.map((entry, at) => {
    const row = rowOf(entry, chain, ++seq, now, ids[at] as string)
    hash = chainHash(hash, row)
    return { ...row, hash }
  })
  await insertEntries(tx, rows)
  await writeHead(tx, chain, { seq, hash, mac: sealOf(hub, chain, { seq, hash }) })
  const step = { ...chain, seq, entry_hash: hash }
  tellAudit(tx, hub, await addSteps(tx, hub.audit.key, [step]))
  return rows
}

function rowOf(
  entry: NewEntry,
  { vault_id, tenant_id }: Chain,
  seq: number,
  now: Date,
  own_id: string,
): Omit<LedgerRow, 'hash'> {
  return {
    vault_id,
    tenant_id,
    seq,
    id: entry.id ?? own_id,
    robot_id: entry.robot_id,
    module: entry.module,
    source: entry.source,
    type: entry.type,
    state: entry.state,
    payload_json: JSON.stringify(entry.payload),
    depends_on_json: JSON.stringify(lineageSet(entry.depends_on)),
    execution_id: entry.execution_id,
    event_key: entry.event_key,
    created_at: now.toISOString(),
  }
}
