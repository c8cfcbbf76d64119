import type { Hub } from '../../../operations/hub.ts'
import { hubRecord } from '../../../operations/hub-record.ts'
import { findNewestSeal } from '../../../platform/audit/journal-seals.ts'
import {
  addSteps,
  findJournalHead,
  insertJournalHead,
  SEAL_OPERATION,
  type SealTarget,
} from '../../../platform/audit/ledger-journal.ts'
import { StorageDamaged, sql, type Transaction } from '../../../platform/storage/database.ts'
import { sealDeadLetters } from '../dead-letters/dead-letter-store.ts'
import type { LedgerHead } from './ledger-store.ts'
import { sealOf } from './seal-of.ts'

/** Chains that were there before there was a journal; no store has come near so many. */
const CHAIN_LIMIT = 1_000_000

const heads = sql<LedgerHead & { vault_id: string; tenant_id: string }>(
  'SELECT vault_id, tenant_id, seq, hash, mac FROM ledger_heads WHERE seq > 0 ORDER BY vault_id, tenant_id LIMIT ?',
)

type Sealing = Pick<Hub, 'audit' | 'system'>

/**
 * Begins the journal of all ledgers where there is none yet, with the chains that are there. A chain whose head was
 * changed is left out: it stays as broken as it is. Where the audit log tells of a journal, one was taken away.
 */
export async function beginJournal(tx: Transaction, hub: Sealing): Promise<void> {
  if (await findJournalHead(tx)) return
  const { key } = hub.audit
  // Whoever comes second waits here for the first, and finds the journal begun.
  if (!(await insertJournalHead(tx, key, hub.system.now().toISOString()))) return
  if (await findNewestSeal(tx))
    throw new StorageDamaged('The journal of the ledger was taken away. Run `knowtation ledger verify`.')
  await sealDeadLetters(tx, key)
  const known = (await tx.all(heads, CHAIN_LIMIT)).filter((head) => head.mac === sealOf(hub, head, head))
  const steps = known.map(({ vault_id, tenant_id, seq, hash }) => ({
    vault_id,
    tenant_id,
    seq,
    entry_hash: hash,
  }))
  if (steps.length > 0) tellAudit(tx, hub, await addSteps(tx, key, steps))
}

/** Has the audit log bear witness to the state of the journal, at the end of the transaction. */
export function tellAudit(tx: Transaction, hub: Sealing, { vault_id, ...target }: SealTarget): void {
  hub.audit.leaveIn(tx, [hubRecord(hub, SEAL_OPERATION, vault_id, target)])
}
