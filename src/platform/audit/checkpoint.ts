import { type Database, sql, type Transaction } from '../storage/database.ts'
import type { AuditLog } from './audit-log.ts'
import { GENESIS_HASH } from './audit-record.ts'
import type { AuditHead } from './chain-end.ts'
import { ChainFault, walkRecords } from './verify-chain.ts'

export interface Checkpoint {
  seq: number
  at: string
  hash: string
  previous_seq: number
  signature: string
}

export interface Retention {
  /** Records older than this many days may go. */
  max_age_days: number
  /** Records beyond this many may go, the oldest first. */
  max_records: number
}

/** One transaction removes at most this many records, so calls never wait long behind it. */
const PRUNE_BATCH = 2_000

const insertCheckpoint = sql(
  'INSERT INTO audit_checkpoints (seq, at, hash, previous_seq, signature) VALUES (?, ?, ?, ?, ?)',
)
const hashOfCheckpoint = sql<{ hash: string }>('SELECT hash FROM audit_checkpoints WHERE seq = ?')
const deleteThrough = sql('DELETE FROM audit_records WHERE seq <= ?')
const firstKeptByAge = sql<{ seq: number }>(
  'SELECT seq FROM audit_records WHERE seq <= ? AND at >= ? ORDER BY seq LIMIT 1',
)

/**
 * Removes the oldest records beyond the retention, leaving a signed checkpoint where the kept chain
 * begins. Answers how many went.
 */
export async function pruneAudit(
  db: Database,
  log: AuditLog,
  retention: Retention,
  now: Date,
): Promise<number> {
  let removed = 0
  for (;;) {
    const went = await db.transaction((tx) => pruneBatch(tx, log, retention, now))
    removed += went
    if (went < PRUNE_BATCH) return removed
  }
}

async function pruneBatch(tx: Transaction, log: AuditLog, keep: Retention, now: Date): Promise<number> {
  const head = await log.lockHead(tx)
  const limit = Math.min(head.seq, head.checkpoint_seq + PRUNE_BATCH)
  const oldestDay = new Date(now.getTime() - keep.max_age_days * 86_400_000).toISOString()
  const kept = await tx.get(firstKeptByAge, limit, oldestDay)
  const byAge = kept ? kept.seq - 1 : limit
  const byCount = head.seq - keep.max_records
  const cut = Math.min(limit, Math.max(byAge, byCount))
  if (cut <= head.checkpoint_seq) return 0
  const hash = await findSoundHash(tx, head, cut)
  // Whatever is not as it was written is evidence: it is kept for `audit verify` to show, not signed away.
  if (hash === undefined) return 0
  await writeCheckpoint(tx, log, { seq: cut, hash, previous_seq: head.checkpoint_seq }, now)
  await log.moveHead(tx, { seq: head.seq, hash: head.hash, checkpoint_seq: cut })
  return tx.run(deleteThrough, cut)
}

/** The hash of the record at `cut`, or nothing when the records up to it are not all as written. */
async function findSoundHash(tx: Transaction, head: AuditHead, cut: number): Promise<string | undefined> {
  const from = head.checkpoint_seq
  const start = from === 0 ? GENESIS_HASH : (await tx.get(hashOfCheckpoint, from))?.hash
  if (start === undefined) return undefined
  try {
    const end = await walkRecords(tx, { seq: from, hash: start }, cut, { records: 0, last_seq: 0 })
    return end.seq === cut ? end.hash : undefined
  } catch (error) {
    if (error instanceof ChainFault) return undefined
    throw error
  }
}

async function writeCheckpoint(
  tx: Transaction,
  log: AuditLog,
  place: Pick<Checkpoint, 'seq' | 'hash' | 'previous_seq'>,
  now: Date,
): Promise<void> {
  const body = { ...place, at: now.toISOString() }
  const signature = log.key.signCheckpoint(body)
  await tx.run(insertCheckpoint, body.seq, body.at, body.hash, body.previous_seq, signature)
}
