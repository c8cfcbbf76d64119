import type { X509Certificate } from 'node:crypto'
import { counted } from '../../basics/printable.ts'
import { type Reader, sql } from '../../storage/database.ts'
import { TimeStampFault } from '../../time-stamps/time-stamp-fault.ts'
import type { AuditKey } from '../audit-key.ts'
import { findStampedTime, readEnd, type SentEnd } from './end-statement.ts'

const LINE_COUNT_LIMIT = 1_000_000
const LINES_A_TURN = 500

const readHead = sql<{ seq: number; checkpoint_seq: number }>(
  'SELECT seq, checkpoint_seq FROM audit_head WHERE only_row = 1',
)
const hashOfRecord = sql<{ hash: string }>('SELECT hash FROM audit_records WHERE seq = ?')
const hashOfCheckpoint = sql<{ hash: string }>('SELECT hash FROM audit_checkpoints WHERE seq = ?')

/** What holding the log against the ends that were sent has found. */
export interface EndsReport {
  /** Ends that the log still has, as they were sent. */
  checked: number
  /** Ends in what retention has cut off. */
  pruned: number
  /** Lines that are none, such as one that was torn. */
  unreadable: number
  /** Ends whose time stamp was checked. */
  stamped: number
  fault: string | null
}

/** What the log is held against: its key, and by what certificates the owner knows who stamps times. */
export interface Against {
  readonly key: AuditKey
  readonly trusted: readonly X509Certificate[]
}

/** Holds the log against the ends that were sent: it has to have each of them, or to have cut it off. */
export async function compareEnds(
  db: Reader,
  lines: AsyncIterable<string>,
  against: Against,
): Promise<EndsReport> {
  const report: EndsReport = { checked: 0, pruned: 0, unreadable: 0, stamped: 0, fault: null }
  let number = 0
  for await (const text of lines) {
    if (text === '') continue
    number++
    if (number > LINE_COUNT_LIMIT) return { ...report, fault: 'There are too many lines.' }
    // A long file must not keep the hub from answering.
    if (number % LINES_A_TURN === 0) await new Promise((turn) => setImmediate(turn))
    const end = readEnd(text)
    const fault = end ? await takeEnd(db, end, against, report) : undefined
    if (!end) report.unreadable++
    if (fault) return { ...report, fault: `Line ${number}: ${fault}` }
  }
  return report
}

async function takeEnd(
  db: Reader,
  end: SentEnd,
  { key, trusted }: Against,
  report: EndsReport,
): Promise<string | undefined> {
  if (end.key_id !== key.key_id || !key.isEnd(end, end.signature))
    return 'this end was not signed with the key of this log.'
  const found = await findEnd(db, end)
  if (found.fault !== undefined) return found.fault
  report[found.is_pruned ? 'pruned' : 'checked']++
  try {
    if (findStampedTime(end, trusted)) report.stamped++
    return undefined
  } catch (error) {
    if (error instanceof TimeStampFault) return error.message
    throw error
  }
}

/** Whether the log still has an end, as it was sent. */
export async function findEnd(
  db: Reader,
  { seq, hash, at }: Pick<SentEnd, 'seq' | 'hash' | 'at'>,
): Promise<{ fault?: string; is_pruned?: boolean }> {
  if (seq === 0) return {}
  const kept = (await db.get(hashOfRecord, seq)) ?? (await db.get(hashOfCheckpoint, seq))
  if (kept) {
    const fault = `record ${seq} of the audit log is another one than was sent at ${at}.`
    return kept.hash === hash ? {} : { fault }
  }
  const head = await db.get(readHead)
  if (head && seq < head.checkpoint_seq) return { is_pruned: true }
  const missing = counted(seq - (head?.seq ?? 0), 'record')
  if (head && seq <= head.seq) return { fault: `record ${seq} is missing.` }
  return { fault: `the audit log ends at record ${head?.seq ?? 0}, and ${missing} more were sent by ${at}.` }
}
