import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { LeaseTime } from '../../../platform/work/lease-clock.ts'
import { defineWork, type WorkClaim, type WorkKey } from '../../../platform/work/work-table.ts'

/** Sinks are leased one by one, so that each gets its records from one hub and in order. */
export const sinkWork = defineWork({
  table: 'audit_sinks',
  key: ['sink'],
  fence: 'fence',
  // Longer than any sink may take for a batch.
  lease_ms: 60_000,
  open: '1 = 1',
  wanted: '1 = 1',
})

export type SinkClaim = WorkClaim<'sink'>

/** How far a sink has come. */
export interface SinkState {
  readonly sink: string
  readonly seq: number
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly sent_at: string | null
  readonly failure: string | null
}

const add = sql(
  `INSERT INTO audit_sinks (sink, seq, attempts, fence) VALUES (?, 0, 0, 0) ON CONFLICT DO NOTHING`,
)
const due = sql<{ sink: string }>(
  `SELECT s.sink FROM audit_sinks s JOIN audit_head h ON h.only_row = 1
   WHERE s.seq < h.seq AND (s.next_attempt_at IS NULL OR s.next_attempt_at <= ?)
     AND (s.lease_until IS NULL OR s.lease_until < ? OR s.lease_until > ?) ORDER BY s.sink LIMIT ?`,
)
const all = sql<SinkState>(
  'SELECT sink, seq, attempts, next_attempt_at, sent_at, failure FROM audit_sinks ORDER BY sink',
)
const one = sql<SinkState & { fence: number }>(
  'SELECT sink, seq, attempts, next_attempt_at, sent_at, failure, fence FROM audit_sinks WHERE sink = ?',
)
const advance = sql(
  `UPDATE audit_sinks SET seq = ?, attempts = 0, next_attempt_at = NULL, failure = NULL, sent_at = ?
   WHERE sink = ? AND fence = ?`,
)
const fail = sql(
  `UPDATE audit_sinks SET attempts = ?, next_attempt_at = ?, failure = ?, owner = NULL, lease_until = NULL
   WHERE sink = ? AND fence = ?`,
)

export const addSink = (tx: Transaction, sink: string) => tx.run(add, sink)
export const listSinks = (db: Reader) => db.all(all)

/** Sinks that have records to get now, and that no hub serves. */
export function listDueSinks(
  db: Reader,
  at: string,
  { now, far }: LeaseTime,
  limit: number,
): Promise<WorkKey<'sink'>[]> {
  return db.all(due, at, now, far, limit)
}

/** How a sink stands; undefined when another hub serves it. */
export async function readSink(db: Reader, { sink, fence }: SinkClaim): Promise<SinkState | undefined> {
  const found = await db.get(one, sink)
  return found && Number(found.fence) === Number(fence) ? { ...found, seq: Number(found.seq) } : undefined
}

/** Keeps how far a sink has come. False: it is no longer ours. */
export async function advanceSink(
  tx: Transaction,
  { sink, fence }: SinkClaim,
  seq: number,
  at: string,
): Promise<boolean> {
  return (await tx.run(advance, seq, at, sink, fence)) === 1
}

/** Keeps that a sink took nothing, and lets go until the next try. */
export function failSink(
  tx: Transaction,
  { sink, fence }: SinkClaim,
  failed: { attempts: number; next_attempt_at: string; failure: string },
): Promise<number> {
  return tx.run(fail, failed.attempts, failed.next_attempt_at, failed.failure, sink, fence)
}
