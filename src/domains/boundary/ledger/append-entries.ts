import { lineageSet } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { StorageDamaged, type Transaction } from '../../../platform/storage/database.ts'
import { chainHash, GENESIS_HASH, type LedgerRow, newLedgerIds } from './ledger-record.ts'
import { insertEntries, lockHead, writeHead } from './ledger-store.ts'

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

interface Chain {
  vault_id: string
  tenant_id: string
}

/** Seals the end of a chain, so that nobody without the key can cut or lengthen it unnoticed. */
export function sealOf(hub: Pick<Hub, 'audit'>, chain: Chain, head: { seq: number; hash: string }): string {
  // The audit chain's own head is a bare hash here: no seal of one can pass for one of the other.
  const place = JSON.stringify(['ledger', chain.vault_id, chain.tenant_id, head.hash])
  return hub.audit.key.sealHead({ seq: head.seq, hash: place, checkpoint_seq: 0 })
}

/** Lets nobody else add to the chain until the transaction ends. A changed head is never built upon. */
export async function lockChain(tx: Transaction, hub: Pick<Hub, 'audit'>, chain: Chain) {
  const first = { seq: 0, hash: GENESIS_HASH }
  const head = await lockHead(tx, chain, { ...first, mac: sealOf(hub, chain, first) })
  if (head && head.mac === sealOf(hub, chain, head)) return head
  throw new StorageDamaged('The head of a ledger was changed from outside. Run `knowtation ledger verify`.')
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
