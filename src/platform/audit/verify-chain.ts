import { type Database, type Reader, sql } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'
import type { AuditHead } from './audit-log.ts'
import { type ChainedRecord, chainHash, GENESIS_HASH } from './audit-record.ts'
import type { Checkpoint } from './checkpoint.ts'

/** What checking the whole chain found: the first fault, or how much was sound. */
export interface ChainReport {
  intact: boolean
  records: number
  first_seq: number
  last_seq: number
  checkpoints: number
  fault: string | null
}

const PAGE = 2_000

const readHead = sql<AuditHead>('SELECT seq, hash, checkpoint_seq, mac FROM audit_head WHERE only_row = 1')
const readCheckpoints = sql<Checkpoint>(
  'SELECT seq, at, hash, previous_seq, signature FROM audit_checkpoints ORDER BY seq',
)
const readPage = sql<ChainedRecord>(
  'SELECT * FROM audit_records WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
)
const lowest = sql<{ seq: number | null }>('SELECT MIN(seq) AS seq FROM audit_records')
const highest = sql<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM audit_records')

class ChainFault extends Error {}

/** Walks the chain from its last checkpoint to its sealed head and reports the first thing that is not as written. */
export async function verifyChain(db: Database, key: AuditKey): Promise<ChainReport> {
  const report: ChainReport = {
    intact: true,
    records: 0,
    first_seq: 0,
    last_seq: 0,
    checkpoints: 0,
    fault: null,
  }
  try {
    await walk(db, key, report)
  } catch (error) {
    if (!(error instanceof ChainFault)) throw error
    report.intact = false
    report.fault = error.message
  }
  return report
}

async function walk(db: Reader, key: AuditKey, report: ChainReport): Promise<void> {
  const head = await db.get(readHead)
  if (!head) throw new ChainFault('The head of the chain is missing.')
  if (head.mac !== key.sealHead(head)) throw new ChainFault('The head of the chain was changed.')
  const start = checkCheckpoints(await db.all(readCheckpoints), key, head, report)
  const first = (await db.get(lowest))?.seq ?? null
  if (first !== null && first <= start.seq)
    throw new ChainFault(`Record ${first} was put back after pruning.`)
  report.first_seq = first ?? start.seq
  const end = await walkRecords(db, start, head.seq, report)
  if (end.seq < head.seq) throw new ChainFault(`Record ${end.seq + 1} is missing.`)
  if (end.hash !== head.hash) throw new ChainFault(`Record ${end.seq} was changed.`)
  const last = (await db.get(highest))?.seq ?? 0
  // Records added while we walked are beyond the head we read; only a newer head explains them.
  const now = await db.get(readHead)
  if (last > (now?.seq ?? 0)) throw new ChainFault(`Record ${last} lies beyond the sealed head.`)
}

function checkCheckpoints(all: Checkpoint[], key: AuditKey, head: AuditHead, report: ChainReport) {
  let previous = 0
  for (const checkpoint of all) {
    if (checkpoint.previous_seq !== previous)
      throw new ChainFault(`A checkpoint before ${checkpoint.seq} is missing.`)
    if (!key.isCheckpoint(checkpoint, checkpoint.signature))
      throw new ChainFault(`The checkpoint at ${checkpoint.seq} was changed.`)
    previous = checkpoint.seq
    report.checkpoints++
  }
  if (previous !== head.checkpoint_seq)
    throw new ChainFault('The newest checkpoint is not the one the head names.')
  return { seq: previous, hash: all.at(-1)?.hash ?? GENESIS_HASH }
}

async function walkRecords(
  db: Reader,
  start: { seq: number; hash: string },
  lastSeq: number,
  report: ChainReport,
): Promise<{ seq: number; hash: string }> {
  let { seq, hash } = start
  for (;;) {
    const page = await db.all(readPage, seq, lastSeq, PAGE)
    for (const record of page) {
      if (record.seq !== seq + 1) throw new ChainFault(`Record ${seq + 1} is missing.`)
      if (record.hash !== chainHash(record.seq, hash, record))
        throw new ChainFault(`Record ${record.seq} was changed or moved.`)
      seq = record.seq
      hash = record.hash
      report.records++
      report.last_seq = seq
    }
    if (page.length < PAGE) return { seq, hash }
  }
}
