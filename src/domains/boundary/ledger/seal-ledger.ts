import type { Hub } from '../../../operations/hub.ts'
import { findNewestSeal, readBounds } from '../../../platform/audit/journal-seals.ts'
import { currentSeal, findJournalHead, lockJournal } from '../../../platform/audit/ledger-journal.ts'
import { type Reader, StorageDamaged, sql, type Transaction } from '../../../platform/storage/database.ts'
import { beginJournal, tellAudit } from './begin-journal.ts'

const DAY_MS = 86_400_000

const anyChain = sql<{ tenant_id: string }>('SELECT tenant_id FROM ledger_heads WHERE seq > 0 LIMIT 1')

/**
 * Keeps the audit log bearing witness to the ledgers: those of a time without a journal get one, and before the last
 * record that tells of it is pruned, another one does. Where the two disagree nothing is told anew, and who prunes stops.
 */
export async function sealLedger(hub: Hub): Promise<void> {
  const begun = await findJournalHead(hub.db)
  if (!begun && !(await hub.db.get(anyChain))) return requireNoSeal(hub.db)
  await hub.db.transaction((tx) => (begun ? sealAnew(tx, hub) : beginJournal(tx, hub)))
}

/** Where nothing is left of a ledger that the log tells of, what tells of it must stay. */
async function requireNoSeal(db: Reader): Promise<void> {
  if (await findNewestSeal(db))
    throw new StorageDamaged(
      'The ledger that the audit log tells of is gone. Run `knowtation ledger verify`.',
    )
}

async function sealAnew(tx: Transaction, hub: Hub): Promise<void> {
  const head = await lockJournal(tx, hub.audit.key)
  if (head.number === 0) return
  const newest = await findNewestSeal(tx)
  if (newest?.number !== head.number || newest.hash !== head.hash)
    throw new StorageDamaged(
      'The audit log and the journal of the ledger disagree. Run `knowtation ledger verify`.',
    )
  const { low, high } = await readBounds(tx)
  const isOld =
    hub.system.now().getTime() - Date.parse(newest.at) > (hub.config.audit.max_age_days * DAY_MS) / 2
  if (isOld || newest.seq - low < high - newest.seq) tellAudit(tx, hub, await currentSeal(tx, head))
}
