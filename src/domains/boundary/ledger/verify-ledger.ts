import type { Hub } from '../../../operations/hub.ts'
import { findLastStep } from '../../../platform/audit/ledger-journal.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import { checkLength, checkNotGone, type JournalView } from './journal-view.ts'
import { LedgerFault } from './ledger-fault.ts'
import { chainHash, GENESIS_HASH, type LedgerRow } from './ledger-record.ts'
import { findHead, readStretch } from './ledger-store.ts'
import type { Chain } from './lock-chain.ts'
import { sealOf } from './seal-of.ts'

/** What checking one tenant's chain found: the first fault, or how much was sound. */
export interface LedgerReport {
  tenant_id: string
  intact: boolean
  entries: number
  fault: string | null
}

const PAGE = 500
const TENANT_PAGE = 200
/** Links of one page of entries; more than a page of submissions can make. */
const LINK_LIMIT = 2_000_000

const tenants = sql<{ tenant_id: string }>(
  `SELECT tenant_id FROM ledger_heads WHERE vault_id = ? AND tenant_id > ?
   UNION SELECT tenant_id FROM ledger_entries WHERE vault_id = ? AND tenant_id > ?
   UNION SELECT tenant_id FROM ledger_journal WHERE vault_id = ? AND tenant_id > ? ORDER BY tenant_id LIMIT ?`,
)
const highest = sql<{ seq: number | null }>(
  'SELECT MAX(seq) AS seq FROM ledger_entries WHERE vault_id = ? AND tenant_id = ?',
)
const linksOf = sql<{ id: string; depends_on: string }>(
  `SELECT l.id, l.depends_on FROM ledger_entries e JOIN ledger_links l ON l.vault_id = e.vault_id AND l.id = e.id
   WHERE e.vault_id = ? AND e.tenant_id = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq, l.depends_on LIMIT ?`,
)
const strayLink = sql<{ id: string }>(
  `SELECT l.id FROM ledger_links l LEFT JOIN ledger_entries e ON e.vault_id = l.vault_id AND e.id = l.id
   WHERE l.vault_id = ? AND e.id IS NULL LIMIT 1`,
)

/** The tenants that have, or had, a ledger in a vault, in order, after one. */
export async function listTenants(db: Reader, vault_id: string, after: string): Promise<string[]> {
  const rows = await db.all(tenants, vault_id, after, vault_id, after, vault_id, after, TENANT_PAGE)
  return rows.map(({ tenant_id }) => tenant_id)
}

/** Whether a tenant has, or had, a ledger in a vault. */
export async function hasLedger(db: Reader, { vault_id, tenant_id }: Chain): Promise<boolean> {
  const chain = { vault_id, tenant_id }
  if ((await findHead(db, vault_id, tenant_id)) ?? (await findLastStep(db, chain))) return true
  return ((await db.get(highest, vault_id, tenant_id))?.seq ?? null) !== null
}

/** Walks one tenant's chain from its beginning to its sealed head, and holds that against the journal. */
export async function verifyLedger(hub: Hub, chain: Chain, journal: JournalView): Promise<LedgerReport> {
  const report: LedgerReport = { tenant_id: chain.tenant_id, intact: true, entries: 0, fault: null }
  try {
    await checkNotGone(hub.db, chain, journal)
    await walkChain(hub, chain, report)
    await checkLength(hub.db, chain, journal)
    return report
  } catch (error) {
    if (!(error instanceof LedgerFault)) throw error
    return { ...report, intact: false, fault: error.message }
  }
}

/** Whether a vault has a link that belongs to no entry. */
export async function hasStrayLink(db: Reader, vault_id: string): Promise<boolean> {
  return (await db.get(strayLink, vault_id)) !== undefined
}

async function walkChain(hub: Hub, chain: Chain, report: LedgerReport): Promise<void> {
  const head = await requireSealedHead(hub, chain)
  let place = { seq: 0, hash: GENESIS_HASH }
  while (place.seq < head.seq) {
    const range = { after_seq: place.seq, last_seq: head.seq, limit: PAGE }
    const rows = await readStretch(hub.db, chain, range)
    for (const row of rows) place = checkEntry(row, place)
    if (rows.length === 0) throw new LedgerFault(`Entry ${place.seq + 1} is missing.`)
    await checkLinks(hub.db, chain, rows)
    report.entries += rows.length
  }
  if (place.hash !== head.hash) throw new LedgerFault(`Entry ${place.seq} was changed.`)
  // Entries added while we walked are beyond the head we read; only a newer head explains them.
  const last = (await hub.db.get(highest, chain.vault_id, chain.tenant_id))?.seq ?? 0
  const now = await requireSealedHead(hub, chain)
  if (last > now.seq) throw new LedgerFault(`Entry ${last} lies beyond the sealed head.`)
}

async function requireSealedHead(hub: Hub, chain: Chain) {
  const head = await findHead(hub.db, chain.vault_id, chain.tenant_id)
  if (!head) throw new LedgerFault('The head of the chain is missing.')
  if (head.mac !== sealOf(hub, chain, head)) throw new LedgerFault('The head of the chain was changed.')
  return head
}

/** Throws unless the entry directly follows the place; answers the entry's own place. */
export function checkEntry(row: LedgerRow, place: { seq: number; hash: string }) {
  if (row.seq !== place.seq + 1) throw new LedgerFault(`Entry ${place.seq + 1} is missing.`)
  if (row.hash !== chainHash(place.hash, row)) throw new LedgerFault(`Entry ${row.seq} was changed or moved.`)
  return { seq: row.seq, hash: row.hash }
}

/** The links are what lineage is walked by: they must say what the entries themselves say. */
async function checkLinks(db: Reader, chain: Chain, rows: readonly LedgerRow[]): Promise<void> {
  const first = rows[0] as LedgerRow
  const last = rows.at(-1) as LedgerRow
  const where = [chain.vault_id, chain.tenant_id, first.seq - 1, last.seq] as const
  const stored = await db.all(linksOf, ...where, LINK_LIMIT)
  const written = rows.flatMap(({ id, depends_on_json }) =>
    (JSON.parse(depends_on_json) as string[]).map((source) => `${id}|${source}`),
  )
  const found = new Set(stored.map((link) => `${link.id}|${link.depends_on}`))
  if (found.size === written.length && written.every((link) => found.has(link))) return
  throw new LedgerFault(`The links of an entry between ${first.seq} and ${last.seq} were changed.`)
}
