import { hash } from 'node:crypto'
import { type Reader, StorageDamaged, sql, type Transaction } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'
import { GENESIS_HASH } from './audit-record.ts'

/** A move of one tenant's chain: its last entry is now this one. */
export interface JournalStep {
  vault_id: string
  tenant_id: string
  seq: number
  entry_hash: string
}

/** The end of the journal, with its seal. */
export interface JournalHead {
  number: number
  hash: string
  /** When the journal was begun. What the ledgers were before, nothing but they themselves can tell. */
  since: string
  mac: string
}

/** What the audit log has to name, and in whose vault, to bear witness to a state of the journal. */
export interface SealTarget {
  vault_id: string
  kind: typeof SEAL_KIND
  id: string
}

/** The kind of target by which a record of the audit log stands for a state of the journal. */
export const SEAL_KIND = 'ledger_journal'
/** What such a record says was done. */
export const SEAL_OPERATION = 'ledger_sealed'

const HEAD = 'SELECT number, hash, since, mac FROM ledger_journal_head WHERE only_row = 1'
const readHead = sql<JournalHead>(HEAD)
// Changes nothing, but lets only one transaction at a time go on with the journal.
const lock = sql('UPDATE ledger_journal_head SET number = number WHERE only_row = 1')
const begin = sql(
  `INSERT INTO ledger_journal_head (only_row, number, hash, since, mac) VALUES (1, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
)
const move = sql('UPDATE ledger_journal_head SET number = ?, hash = ?, mac = ? WHERE only_row = 1')
const insert = sql(
  'INSERT INTO ledger_journal (number, vault_id, tenant_id, seq, entry_hash, hash) VALUES (?, ?, ?, ?, ?, ?)',
)
const lastOfTenant = sql<{ seq: number; entry_hash: string }>(
  'SELECT seq, entry_hash FROM ledger_journal WHERE vault_id = ? AND tenant_id = ? ORDER BY seq DESC LIMIT 1',
)
const lastOfAll = sql<JournalStep>(
  'SELECT vault_id, tenant_id, seq, entry_hash FROM ledger_journal WHERE number = ?',
)

/** Each step's hash covers its place, what it says and the step before it. */
export function stepHash(
  previous: string,
  number: number,
  { vault_id, tenant_id, seq, entry_hash }: JournalStep,
): string {
  return hash(
    'sha256',
    JSON.stringify(['ledger journal', previous, number, vault_id, tenant_id, seq, entry_hash]),
  )
}

/** Tells tenants apart in the audit log, which names nothing that somebody chose. */
export function tenantDigest({ vault_id, tenant_id }: Pick<JournalStep, 'vault_id' | 'tenant_id'>): string {
  return hash('sha256', JSON.stringify(['tenant', vault_id, tenant_id])).slice(0, 16)
}

/** Whether the head is as who has the key wrote it. */
export function isSealedHead(key: AuditKey, head: JournalHead): boolean {
  return head.mac === sealOf(key, head)
}

function sealOf(key: AuditKey, { number, hash: end, since }: Omit<JournalHead, 'mac'>): string {
  // Neither the audit chain's head nor a ledger's looks like this: no seal of one can pass for one of another.
  return key.sealHead({
    seq: number,
    hash: JSON.stringify(['ledger journal', end, since]),
    checkpoint_seq: 0,
  })
}

export async function findJournalHead(db: Reader): Promise<JournalHead | undefined> {
  return db.get(readHead)
}

/** Begins the journal; false where another transaction was quicker. */
export async function insertJournalHead(tx: Transaction, key: AuditKey, since: string): Promise<boolean> {
  const first = { number: 0, hash: GENESIS_HASH, since }
  return (await tx.run(begin, first.number, first.hash, since, sealOf(key, first))) === 1
}

/** The end of the journal, locked until the transaction ends. One that was changed without the key is not built upon. */
export async function lockJournal(tx: Transaction, key: AuditKey): Promise<JournalHead> {
  await tx.run(lock)
  const head = await tx.get(readHead)
  if (head && isSealedHead(key, head)) return head
  throw new StorageDamaged(
    'The journal of the ledger was changed from outside. Run `knowtation ledger verify`.',
  )
}

/** Adds steps to the end of the journal, and answers what the audit log has to name. */
export async function addSteps(
  tx: Transaction,
  key: AuditKey,
  steps: readonly JournalStep[],
): Promise<SealTarget> {
  let { number, hash: end, since } = await lockJournal(tx, key)
  const rows = steps.map((step) => {
    end = stepHash(end, ++number, step)
    return [number, step.vault_id, step.tenant_id, step.seq, step.entry_hash, end]
  })
  await tx.runEach(insert, rows)
  await tx.run(move, number, end, sealOf(key, { number, hash: end, since }))
  return sealTarget({ number, hash: end }, steps.at(-1) as JournalStep)
}

/** The state of the journal in one word: its number and hash, and whose chain moved last and how far. */
function sealTarget(head: Pick<JournalHead, 'number' | 'hash'>, last: JournalStep): SealTarget {
  const { vault_id } = last
  return { vault_id, kind: SEAL_KIND, id: `${head.number}:${head.hash}:${tenantDigest(last)}:${last.seq}` }
}

/** The same for the journal as it stands, for the audit log to name once more. */
export async function currentSeal(tx: Transaction, head: JournalHead): Promise<SealTarget> {
  const last = await tx.get(lastOfAll, head.number)
  if (!last) throw new StorageDamaged('The journal of the ledger is cut. Run `knowtation ledger verify`.')
  return sealTarget(head, last)
}

/** How far the journal knows a tenant's chain to reach. */
export async function findLastStep(
  db: Reader,
  { vault_id, tenant_id }: Pick<JournalStep, 'vault_id' | 'tenant_id'>,
): Promise<{ seq: number; entry_hash: string } | undefined> {
  return db.get(lastOfTenant, vault_id, tenant_id)
}
