import { type Database, type Reader, StorageUnavailable, sql } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'
import { type ChainedRecord, chainHash, GENESIS_HASH } from './audit-record.ts'
import type { AuditHead } from './chain-end.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { PruneRule } from './retention.ts'

/** What checking the whole chain found: the first fault, or how much was sound. */
export interface ChainReport {
  intact: boolean
  records: number
  first_seq: number
  last_seq: number
  checkpoints: number
  /** What was cut off the chain by retention, as the signed checkpoints tell. */
  pruned: Pruned | null
  fault: string | null
}

/** How many records went, and the last time that some did: when, how many and by which limit. */
export interface Pruned {
  records: number
  last_at: string
  last_records: number
  last_rule: PruneRule | null
}

const PAGE = 500
/** Fewer, since a signature takes longer to check than a hash. */
const CHECKPOINT_PAGE = 100
/** A walk that pruning overtook begins anew so often. */
const WALK_LIMIT = 20

const readHead = sql<AuditHead>('SELECT seq, hash, checkpoint_seq, mac FROM audit_head WHERE only_row = 1')
const readCheckpoints = sql<Checkpoint>(
  'SELECT seq, at, hash, previous_seq, rule, signature FROM audit_checkpoints WHERE seq > ? ORDER BY seq LIMIT ?',
)
const readPage = sql<ChainedRecord>(
  'SELECT * FROM audit_records WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
)
const lowest = sql<{ seq: number | null }>('SELECT MIN(seq) AS seq FROM audit_records')
const highest = sql<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM audit_records')

/** A place in the chain: the record with this number has this hash. */
export interface Place {
  seq: number
  hash: string
}

/** The first thing in a chain that is not as it was written. */
export class ChainFault extends Error {
  override readonly name = 'ChainFault'
}

/** Walks the chain from its last checkpoint to its sealed head and reports the first thing that is not as written. */
export async function verifyChain(db: Database, key: AuditKey): Promise<ChainReport> {
  for (let walks = 1; ; walks++) {
    const head = await db.get(readHead)
    const report = await walkFrom(db, key, head)
    if (report.intact || !(await wasPruned(db, key, head))) return report
    if (walks >= WALK_LIMIT)
      throw new StorageUnavailable('The audit log is being pruned. Verify it again later.')
  }
}

/** Records that went by pruning while we walked are not missing: only the key can have moved the start. */
async function wasPruned(db: Reader, key: AuditKey, before: AuditHead | undefined): Promise<boolean> {
  const now = await db.get(readHead)
  if (!now || !before || now.mac !== key.sealHead(now)) return false
  return now.checkpoint_seq > before.checkpoint_seq
}

async function walkFrom(db: Reader, key: AuditKey, head: AuditHead | undefined): Promise<ChainReport> {
  const found = { intact: true, records: 0, first_seq: 0, last_seq: 0, checkpoints: 0 }
  const report: ChainReport = { ...found, pruned: null, fault: null }
  try {
    await walk(db, key, head, report)
    return report
  } catch (error) {
    if (!(error instanceof ChainFault)) throw error
    return { ...report, intact: false, fault: error.message }
  }
}

async function walk(
  db: Reader,
  key: AuditKey,
  head: AuditHead | undefined,
  report: ChainReport,
): Promise<void> {
  if (!head) throw new ChainFault('The head of the chain is missing.')
  if (head.mac !== key.sealHead(head)) throw new ChainFault('The head of the chain was changed.')
  const start = await walkCheckpoints(db, key, head, report)
  const first = (await db.get(lowest))?.seq ?? null
  if (first !== null && first <= start.seq)
    throw new ChainFault(`Record ${first} was put back after pruning.`)
  report.first_seq = first ?? start.seq
  const end = await walkRecords(db, start, head.seq, report, nextTurn)
  if (end.seq < head.seq) throw new ChainFault(`Record ${end.seq + 1} is missing.`)
  if (end.hash !== head.hash) throw new ChainFault(`Record ${end.seq} was changed.`)
  const last = (await db.get(highest))?.seq ?? 0
  // Records added while we walked are beyond the head we read; only a newer head explains them.
  const now = await db.get(readHead)
  if (!now || now.mac !== key.sealHead(now)) throw new ChainFault('The head of the chain was changed.')
  if (last > now.seq) throw new ChainFault(`Record ${last} lies beyond the sealed head.`)
}

async function walkCheckpoints(
  db: Reader,
  key: AuditKey,
  head: AuditHead,
  report: ChainReport,
): Promise<Place> {
  let place: Place = { seq: 0, hash: GENESIS_HASH }
  for (;;) {
    const page = await db.all(readCheckpoints, place.seq, CHECKPOINT_PAGE)
    for (const checkpoint of page) {
      checkCheckpoint(checkpoint, place.seq, key)
      place = checkpoint
      report.checkpoints++
      report.pruned = prunedBy(checkpoint)
    }
    if (page.length < CHECKPOINT_PAGE) break
    await nextTurn()
  }
  if (place.seq !== head.checkpoint_seq)
    throw new ChainFault('The newest checkpoint is not the one the head names.')
  return place
}

function prunedBy({ seq, at, previous_seq, rule }: Checkpoint): Pruned {
  return { records: seq, last_at: at, last_records: seq - previous_seq, last_rule: rule }
}

/** Throws unless the checkpoint follows the one before it and bears our signature. */
export function checkCheckpoint(
  checkpoint: Checkpoint,
  previous_seq: number,
  key: Pick<AuditKey, 'isCheckpoint'>,
): void {
  if (checkpoint.previous_seq !== previous_seq)
    throw new ChainFault(`A checkpoint before ${checkpoint.seq} is missing.`)
  if (!key.isCheckpoint(checkpoint, checkpoint.signature))
    throw new ChainFault(`The checkpoint at ${checkpoint.seq} was changed.`)
}

/** Throws unless the record directly follows the place; answers the record's own place. */
export function checkRecord(record: ChainedRecord, place: Place): Place {
  if (record.seq !== place.seq + 1) throw new ChainFault(`Record ${place.seq + 1} is missing.`)
  if (record.hash !== chainHash(record.seq, place.hash, record))
    throw new ChainFault(`Record ${record.seq} was changed or moved.`)
  return record
}

/** A long chain must not keep the hub from answering: between two pages others get their turn. */
function nextTurn(): Promise<void> {
  return new Promise((turn) => setImmediate(turn))
}

/** Checks every record after a place up to `last_seq` and answers where the chain of them ends. */
export async function walkRecords(
  db: Reader,
  start: Place,
  last_seq: number,
  report: Pick<ChainReport, 'records' | 'last_seq'>,
  between?: () => Promise<unknown>,
): Promise<Place> {
  let place = start
  for (;;) {
    const page = await db.all(readPage, place.seq, last_seq, PAGE)
    for (const record of page) {
      place = checkRecord(record, place)
      report.records++
      report.last_seq = place.seq
    }
    if (page.length < PAGE) return place
    await between?.()
  }
}
