import { type Database, type Reader, sql } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'
import { GENESIS_HASH } from './audit-record.ts'
import { type JournalSeal, listSeals } from './journal-seals.ts'
import {
  findJournalHead,
  isSealedHead,
  type JournalHead,
  type JournalStep,
  stepHash,
} from './ledger-journal.ts'
import { ChainFault, verifyChain } from './verify-chain.ts'

/** What the journal of all ledgers says, and whether the audit log says the same. */
export interface JournalReport {
  /** When it was begun, or null where there is none yet. */
  since: string | null
  fault: string | null
  /** How far each tenant's chain reaches. */
  chains: Map<string, JournalStep>
  /** What the audit log says of steps that are not in the journal. */
  lost: JournalSeal[]
}

interface Step extends JournalStep {
  number: number
  hash: string
}

const PAGE = 1_000
const ASKED_AT_ONCE = 100
/** So many lost steps are kept; more say no more. */
const LOST_LIMIT = 10_000

const steps = sql<Step>(
  `SELECT number, vault_id, tenant_id, seq, entry_hash, hash FROM ledger_journal
   WHERE number > ? AND number <= ? ORDER BY number LIMIT ?`,
)
const highest = sql<{ number: number | null }>('SELECT MAX(number) AS number FROM ledger_journal')
const hashesOf = sql<{ number: number; hash: string }>(
  `SELECT number, hash FROM ledger_journal WHERE number IN (${Array(ASKED_AT_ONCE).fill('?').join(', ')})`,
)

/** The name of a chain in a report. */
export function chainName({ vault_id, tenant_id }: Pick<JournalStep, 'vault_id' | 'tenant_id'>): string {
  return JSON.stringify([vault_id, tenant_id])
}

/**
 * Walks the journal from its first step to its sealed head, and holds it against all that the audit log says of it. The
 * audit log bears witness only where it is whole itself.
 */
export async function verifyJournal(db: Database, key: AuditKey): Promise<JournalReport> {
  const report: JournalReport = { since: null, fault: null, chains: new Map(), lost: [] }
  try {
    await walk(db, key, report)
  } catch (error) {
    if (!(error instanceof ChainFault)) throw error
    report.fault = error.message
  }
  return report
}

async function walk(db: Database, key: AuditKey, report: JournalReport): Promise<void> {
  const { fault } = await verifyChain(db, key)
  const head = await findJournalHead(db)
  report.since = head?.since ?? null
  const walked = head ? await findFault(() => walkSteps(db, key, head, report.chains)) : undefined
  const newest = await compareSeals(db, report)
  // What is lost is looked for in any case: it tells which tenant was meant.
  if (fault !== null) throw new ChainFault(`The audit log, which bears witness, is not whole: ${fault}`)
  if (walked) throw walked
  const [first] = report.lost
  if (first)
    throw new ChainFault(`The audit log tells of step ${first.number} of the journal, which is not there.`)
  if (!head) return checkNotBegun(db, key, report, newest)
  if (newest < head.number)
    throw new ChainFault('The audit log does not tell of the last step of the journal.')
  await checkEnd(db, key, newest)
}

async function findFault(act: () => Promise<void>): Promise<ChainFault | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    if (error instanceof ChainFault) return error
    throw error
  }
}

async function walkSteps(
  db: Reader,
  key: AuditKey,
  head: JournalHead,
  chains: Map<string, JournalStep>,
): Promise<void> {
  checkHead(key, head)
  let place = { number: 0, hash: GENESIS_HASH }
  while (place.number < head.number) {
    const page = await db.all(steps, place.number, head.number, PAGE)
    for (const step of page) place = checkStep(step, place, chains)
    if (page.length === 0) throw new ChainFault(`Step ${place.number + 1} of the journal is missing.`)
  }
  if (place.hash !== head.hash) throw new ChainFault(`Step ${place.number} of the journal was changed.`)
}

function checkHead(key: AuditKey, head: JournalHead | undefined): void {
  if (!head) throw new ChainFault('The head of the journal is missing.')
  if (!isSealedHead(key, head)) throw new ChainFault('The head of the journal was changed.')
}

function checkStep(step: Step, place: { number: number; hash: string }, chains: Map<string, JournalStep>) {
  const { number, hash } = step
  if (number !== place.number + 1) throw new ChainFault(`Step ${place.number + 1} of the journal is missing.`)
  if (hash !== stepHash(place.hash, number, step))
    throw new ChainFault(`Step ${number} of the journal was changed or moved.`)
  chains.set(chainName(step), step)
  return { number, hash }
}

/** Holds every state that the audit log names against the journal; answers the newest one's number. */
async function compareSeals(db: Reader, report: JournalReport): Promise<number> {
  let newest = 0
  for await (const seals of listSeals(db)) {
    for (let at = 0; at < seals.length; at += ASKED_AT_ONCE) {
      const some = seals.slice(at, at + ASKED_AT_ONCE)
      const asked = Array.from({ length: ASKED_AT_ONCE }, (_, n) => some[n]?.number || 0)
      const known = new Map((await db.all(hashesOf, ...asked)).map(({ number, hash }) => [number, hash]))
      for (const seal of some) {
        newest = Math.max(newest, seal.number)
        if (known.get(seal.number) !== seal.hash && report.lost.length < LOST_LIMIT) report.lost.push(seal)
      }
    }
  }
  return newest
}

/**
 * Without a head there must be no steps. The first step and its head are one transaction, so a journal that was begun
 * while we looked has a head by now, and is walked; steps without a head are what somebody left of a journal.
 */
async function checkNotBegun(
  db: Database,
  key: AuditKey,
  report: JournalReport,
  newest: number,
): Promise<void> {
  const last = (await db.get(highest))?.number ?? 0
  if (Math.max(last, newest) === 0) return
  if (!(await findJournalHead(db))) throw new ChainFault('The head of the journal is missing.')
  await walk(db, key, report)
}

/** Steps added while we walked are beyond the head we read; only a newer head explains them. */
async function checkEnd(db: Reader, key: AuditKey, newest: number): Promise<void> {
  const last = (await db.get(highest))?.number ?? 0
  const now = await findJournalHead(db)
  checkHead(key, now)
  if (Math.max(last, newest) > (now as JournalHead).number)
    throw new ChainFault(`Step ${Math.max(last, newest)} lies beyond the sealed head of the journal.`)
}
