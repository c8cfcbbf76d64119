import type { JournalSeal } from '../../../platform/audit/journal-seals.ts'
import { tenantDigest } from '../../../platform/audit/ledger-journal.ts'
import { chainName, type JournalReport } from '../../../platform/audit/verify-journal.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import { LedgerFault } from './ledger-fault.ts'
import { findHead } from './ledger-store.ts'
import type { Chain } from './lock-chain.ts'

/** The journal as one vault may see it. */
export type JournalView = Pick<JournalReport, 'since' | 'chains' | 'lost'>

/** Executions name tenants too; more names than these are not looked at. */
const NAME_LIMIT = 10_000

const countEntries = sql<{ entries: number | null }>(
  'SELECT MAX(seq) AS entries FROM ledger_entries WHERE vault_id = ? AND tenant_id = ?',
)
const stepAt = sql<{ entry_hash: string }>(
  'SELECT entry_hash FROM ledger_journal WHERE vault_id = ? AND tenant_id = ? AND seq = ?',
)
const namedByExecutions = sql<{ tenant_id: string }>(
  'SELECT DISTINCT tenant_id FROM boundary_executions WHERE vault_id = ? LIMIT ?',
)

/** Throws where nothing is left of a chain that the journal, or the audit log, tells of. */
export async function checkNotGone(db: Reader, chain: Chain, journal: JournalView): Promise<void> {
  const { vault_id, tenant_id } = chain
  const reach = reachOf(chain, journal)
  if (reach === 0 || (await findHead(db, vault_id, tenant_id))) return
  if (((await db.get(countEntries, vault_id, tenant_id))?.entries ?? null) !== null) return
  throw new LedgerFault(`${range(1, reach)} missing, and so is the head of the chain.`)
}

/** Throws unless a sound chain ends where the journal, and the audit log, say that it does, or later. */
export async function checkLength(db: Reader, chain: Chain, journal: JournalView): Promise<void> {
  if (journal.since === null && journal.lost.length === 0) return
  const head = await findHead(db, chain.vault_id, chain.tenant_id)
  const seq = head?.seq ?? 0
  const reach = reachOf(chain, journal)
  if (seq < reach) throw new LedgerFault(`${range(seq + 1, reach)} missing: the chain was cut.`)
  if (seq === 0) return
  const step = await db.get(stepAt, chain.vault_id, chain.tenant_id, seq)
  if (!step)
    throw new LedgerFault('The journal does not tell of this chain as it is: it was put there from outside.')
  if (step.entry_hash !== head?.hash)
    throw new LedgerFault(`Entry ${seq} is not the one that the journal tells of.`)
}

/** How far a chain reached by all that bears witness to it. */
function reachOf(chain: Chain, { chains, lost }: JournalView): number {
  const digest = tenantDigest(chain)
  const told = lost
    .filter(({ tenant_digest }) => tenant_digest === digest)
    .map(({ tenant_seq }) => tenant_seq)
  return Math.max(0, chains.get(chainName(chain))?.seq ?? 0, ...told)
}

function range(first: number, last: number): string {
  return first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`
}

/** The lost steps of a vault, by the tenants that they were of: by name where anything still names the tenant. */
export async function nameLost(
  db: Reader,
  vault_id: string,
  lost: readonly JournalSeal[],
  known: readonly string[],
): Promise<{ named: string[]; unnamed: JournalSeal[] }> {
  const own = lost.filter((seal) => seal.vault_id === vault_id)
  if (own.length === 0) return { named: [], unnamed: [] }
  const executed = (await db.all(namedByExecutions, vault_id, NAME_LIMIT)).map(({ tenant_id }) => tenant_id)
  const names = new Map(
    [...executed, ...known].map((tenant_id) => [tenantDigest({ vault_id, tenant_id }), tenant_id]),
  )
  const digests = new Set(own.map(({ tenant_digest }) => tenant_digest))
  const named = [...digests].flatMap((digest) => names.get(digest) ?? [])
  return { named, unnamed: own.filter(({ tenant_digest }) => !names.has(tenant_digest)) }
}

/** What can be said of tenants that nothing names any more. */
export function describeUnnamed(unnamed: readonly JournalSeal[]): string | null {
  const [first] = unnamed
  if (!first) return null
  const reach = Math.max(
    ...unnamed.filter((seal) => seal.tenant_digest === first.tenant_digest).map((seal) => seal.tenant_seq),
  )
  return `${range(1, reach)} missing of a tenant that nothing names any more (${first.tenant_digest}).`
}
