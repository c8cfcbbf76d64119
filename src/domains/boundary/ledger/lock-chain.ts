import type { Hub } from '../../../operations/hub.ts'
import { findLastStep } from '../../../platform/audit/ledger-journal.ts'
import { StorageDamaged, type Transaction } from '../../../platform/storage/database.ts'
import { beginJournal } from './begin-journal.ts'
import { GENESIS_HASH } from './ledger-record.ts'
import { type LedgerHead, lockHead } from './ledger-store.ts'
import { sealOf } from './seal-of.ts'

export interface Chain {
  vault_id: string
  tenant_id: string
}

/**
 * Lets nobody else add to the chain until the transaction ends. A head that was changed, that is older than the journal
 * knows it, or that stands at the beginning of a chain that was longer, is never built upon.
 */
export async function lockChain(
  tx: Transaction,
  hub: Pick<Hub, 'audit' | 'system'>,
  chain: Chain,
): Promise<LedgerHead> {
  await beginJournal(tx, hub)
  const first = { seq: 0, hash: GENESIS_HASH }
  const head = await lockHead(tx, chain, { ...first, mac: sealOf(hub, chain, first) })
  if (!head || head.mac !== sealOf(hub, chain, head))
    throw damaged('The head of a ledger was changed from outside.')
  const known = await findLastStep(tx, chain)
  if ((known?.seq ?? 0) !== head.seq || (known && known.entry_hash !== head.hash))
    throw damaged('A ledger is not as long as the journal knows it.')
  return head
}

function damaged(what: string): StorageDamaged {
  return new StorageDamaged(`${what} Run \`knowtation ledger verify\`.`)
}
