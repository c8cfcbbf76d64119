import type { Hub } from '../../../operations/hub.ts'
import { findJournalHead, type JournalStep } from '../../../platform/audit/ledger-journal.ts'
import { type JournalReport, verifyJournal } from '../../../platform/audit/verify-journal.ts'
import { counted } from '../../../platform/basics/printable.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import type { Finding } from './doctor-finding.ts'

/** More is left to `ledger verify`: the doctor answers at once. */
const CHECKED_STEPS = 100_000
/** So many tenants are named; the rest is a number. */
const NAMED_LIMIT = 5

const readLength = sql<{ length: number }>('SELECT seq - checkpoint_seq AS length FROM audit_head')
const countHeads = sql<{ chains: number }>('SELECT COUNT(*) AS chains FROM ledger_heads WHERE seq > 0')
const readHead = sql<{ seq: number }>('SELECT seq FROM ledger_heads WHERE vault_id = ? AND tenant_id = ?')
const countRows = sql<{ entries: number }>(
  'SELECT COUNT(*) AS entries FROM ledger_entries WHERE vault_id = ? AND tenant_id = ? AND seq <= ?',
)

/** Whether every tenant that the journal of the ledger tells of is there, as far as it tells. */
export async function ledgerFindings({ db, audit }: Hub): Promise<Finding[]> {
  const head = await findJournalHead(db)
  const length = (await db.get(readLength))?.length ?? 0
  if (Math.max(length, head?.number ?? 0) > CHECKED_STEPS)
    return [finding('ok', 'not checked now', 'Check all of it with `knowtation ledger verify`.')]
  const report = await verifyJournal(db, audit.key)
  const cut = await findCut(db, report)
  if (cut.length > 0) return [wrong(`${cut.slice(0, NAMED_LIMIT).join('; ')}${more(cut.length)}`)]
  if (report.fault !== null) return [wrong(report.fault)]
  if (report.since !== null)
    return [finding('ok', `${counted(report.chains.size, 'tenant')}, sealed since ${report.since}`, null)]
  const unsealed = (await db.get(countHeads))?.chains ?? 0
  if (unsealed === 0) return []
  const detail = `${counted(unsealed, 'tenant')}, not sealed yet`
  return [
    finding('ok', detail, 'It is sealed by the next entry, or seconds after `knowtation serve` begins.'),
  ]
}

async function findCut(db: Reader, { chains }: JournalReport): Promise<string[]> {
  const cut: string[] = []
  for (const step of chains.values()) {
    const fault = await faultOf(db, step)
    if (fault) cut.push(`vault ${step.vault_id}, tenant ${step.tenant_id}: ${fault}`)
  }
  return cut
}

async function faultOf(db: Reader, { vault_id, tenant_id, seq }: JournalStep): Promise<string | undefined> {
  const head = await db.get(readHead, vault_id, tenant_id)
  const entries = Number((await db.get(countRows, vault_id, tenant_id, seq))?.entries ?? 0)
  if (entries === 0) return `all ${counted(seq, 'entry', 'entries')} are missing, from 1 on`
  if (entries < seq) return `${counted(seq - entries, 'entry', 'entries')} of ${seq} are missing`
  if (!head) return 'the head of the chain is missing'
  return head.seq < seq ? `the chain is cut after entry ${head.seq}` : undefined
}

function more(total: number): string {
  return total > NAMED_LIMIT ? ` and ${total - NAMED_LIMIT} more` : ''
}

function wrong(detail: string): Finding {
  const fix =
    'Someone changed the ledger: see `knowtation ledger verify`. Keep the database as evidence and restore a backup.'
  return finding('wrong', detail, fix)
}

function finding(state: Finding['state'], detail: string, fix: string | null): Finding {
  return { subject: 'ledger', state, detail, fix }
}
