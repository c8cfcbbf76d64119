import type { BootTime } from '../basics/process-name.ts'
import { type Database, sql, type Transaction } from '../storage/database.ts'
import type { AuditLog } from './audit-log.ts'
import { GENESIS_HASH } from './audit-record.ts'
import type { AuditHead } from './chain-end.ts'
import { findCut, type PruneRule, type Retention } from './retention.ts'
import { believeTime } from './retention-time.ts'
import { ChainFault, walkRecords } from './verify-chain.ts'

export interface Checkpoint {
  seq: number
  at: string
  hash: string
  previous_seq: number
  /** By which limit the records went; nothing in checkpoints that are older than this field. */
  rule: PruneRule | null
  signature: string
}

/** One transaction removes at most this many records, so calls never wait long behind it. */
const PRUNE_BATCH = 2_000

const insertCheckpoint = sql(
  'INSERT INTO audit_checkpoints (seq, at, hash, previous_seq, rule, signature) VALUES (?, ?, ?, ?, ?, ?)',
)
const hashOfCheckpoint = sql<{ hash: string }>('SELECT hash FROM audit_checkpoints WHERE seq = ?')
const deleteThrough = sql('DELETE FROM audit_records WHERE seq <= ?')

/** When it is pruned. */
export interface PruneTime {
  now: Date
  /** How long this process has been running since it pruned last: a clock that has jumped is believed no faster. */
  ran_ms: number
  /** How long the machine has been on, where it tells: then that counts. */
  boot?: BootTime | undefined
}

/**
 * Removes the oldest records beyond the retention, leaving a signed checkpoint where the kept chain
 * begins. Answers how many went.
 */
export async function pruneAudit(
  db: Database,
  log: AuditLog,
  retention: Retention,
  { now, ran_ms, boot }: PruneTime,
): Promise<number> {
  let removed = 0
  for (let since_ms = ran_ms; ; since_ms = 0) {
    const time = { now, ran_ms: since_ms, boot }
    const went = await db.transaction((tx) => pruneBatch(tx, log, retention, time))
    removed += went
    if (went < PRUNE_BATCH) return removed
  }
}

async function pruneBatch(tx: Transaction, log: AuditLog, keep: Retention, time: PruneTime): Promise<number> {
  const head = await log.lockHead(tx)
  const believed = await believeTime(tx, time.now, { ran_ms: time.ran_ms, boot: time.boot })
  const limit = Math.min(head.seq, head.checkpoint_seq + PRUNE_BATCH)
  const cut = await findCut(tx, head, keep, { limit, believed })
  if (!cut) return 0
  const hash = await findSoundHash(tx, head, cut.seq)
  // Whatever is not as it was written is evidence: it is kept for `audit verify` to show, not signed away.
  if (hash === undefined) return 0
  const place = { seq: cut.seq, hash, previous_seq: head.checkpoint_seq, rule: cut.rule }
  await writeCheckpoint(tx, log, place, time.now)
  await log.moveHead(tx, { seq: head.seq, hash: head.hash, checkpoint_seq: cut.seq })
  return tx.run(deleteThrough, cut.seq)
}

/** The hash of the record at `cut`, or undefined when the records up to it are not all as written. */
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
  place: Omit<Checkpoint, 'at' | 'signature'>,
  now: Date,
): Promise<void> {
  const body = { ...place, at: now.toISOString() }
  const signature = log.key.signCheckpoint(body)
  await tx.run(insertCheckpoint, body.seq, body.at, body.hash, body.previous_seq, body.rule, signature)
}
