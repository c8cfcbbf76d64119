import { type Reader, StorageUnavailable, sql } from '../storage/database.ts'
import { type AuditOutcome, type ChainedRecord, GENESIS_HASH } from './audit-record.ts'
import type { Checkpoint } from './checkpoint.ts'

/** One call of `listAudit` looks at no more records than this once it has found something to show. */
export const LIST_SCAN_LIMIT = 5_000
/** While it has found nothing it looks further: a stretch that is somebody else's must not end a list. */
const GAP_SCAN_LIMIT = 200_000
const LIST_PAGE = 200
/** One call of `exportAudit` answers no more records than this. */
export const EXPORT_PAGE_LIMIT = 10_000
const CHECKPOINT_LIMIT = 1_000_000
/** Reads that pruning came between are made again so often. */
const READ_LIMIT = 5

export interface AuditQuery {
  vault_id: string
  operation?: string | undefined
  outcome?: AuditOutcome | undefined
  before_seq?: number | undefined
  after_seq?: number | undefined
  caller?: string | undefined
  /** Calls made with the grant, and what was done to it. */
  grant?: string | undefined
  /** Calls made with a grant of the flow, and what was done to it. */
  flow?: string | undefined
  /** Calls of a tool: of the toolbox by its name, of an external one by its id. */
  tool?: string | undefined
  target?: string | undefined
  since?: string | undefined
  until?: string | undefined
  request_id?: string | undefined
  /** What is left out though all else fits. */
  isHidden?: ((record: ChainedRecord) => Promise<boolean>) | undefined
  limit: number
}

export interface AuditPage {
  records: ChainedRecord[]
  /** Where to go on, or null when there are no older records. */
  next_before_seq: number | null
  /** Whether looking stopped at the limit of records looked at, rather than at `limit` matches. */
  cut: boolean
}

// Every call writes a record, so the log carries no index but its own order; who reads it looks at more.
const older = sql<ChainedRecord>('SELECT * FROM audit_records WHERE seq < ? ORDER BY seq DESC LIMIT ?')

/** The newest records of a vault that match, newest first. */
export async function listAudit(db: Reader, query: AuditQuery): Promise<AuditPage> {
  const records: ChainedRecord[] = []
  let before = query.before_seq ?? Number.MAX_SAFE_INTEGER
  const { after_seq = 0 } = query
  for (
    let looked = 0;
    looked < (records.length > 0 ? LIST_SCAN_LIMIT : GAP_SCAN_LIMIT);
    looked += LIST_PAGE
  ) {
    // A long look must not keep others from being answered.
    if (looked > 0) await new Promise((turn) => setImmediate(turn))
    const page = await db.all(older, before, LIST_PAGE)
    for (const record of page) {
      if (record.seq <= after_seq) return { records, next_before_seq: null, cut: false }
      if (records.length >= query.limit) return { records, next_before_seq: before, cut: false }
      before = record.seq
      if (isWanted(record, query) && !(await query.isHidden?.(record))) records.push(record)
    }
    if (page.length < LIST_PAGE) return { records, next_before_seq: null, cut: false }
  }
  return { records, next_before_seq: before, cut: true }
}

function isWanted(record: ChainedRecord, query: AuditQuery): boolean {
  const { vault_id, operation, outcome, caller, grant, flow, tool, target, since, until, request_id } = query
  const isTarget = (kind: string, id: string) => record.target_kind === kind && record.target_id === id
  return (
    record.vault_id === vault_id &&
    (operation === undefined || record.operation === operation) &&
    (outcome === undefined || record.outcome === outcome) &&
    (caller === undefined || record.caller_id === caller) &&
    (target === undefined || record.target_id === target) &&
    (request_id === undefined || record.request_id === request_id) &&
    (grant === undefined || record.grant_id === grant || isTarget('grant', grant)) &&
    (flow === undefined || record.flow_id === flow || isTarget('flow', flow)) &&
    (tool === undefined || record.operation === tool || isTarget('external_tool', tool)) &&
    (since === undefined || record.at >= since) &&
    (until === undefined || record.at < until)
  )
}

const recordAt = sql<ChainedRecord>('SELECT * FROM audit_records WHERE seq = ?')

/** One record of a vault, by its number. */
export async function findRecord(
  db: Reader,
  vault_id: string,
  seq: number,
): Promise<ChainedRecord | undefined> {
  const record = await db.get(recordAt, seq)
  return record?.vault_id === vault_id ? record : undefined
}

/** A stretch of the chain with what is needed to check it elsewhere. */
export interface AuditExport {
  /** The first record's number, and the hash that it builds on. */
  from_seq: number
  previous_hash: string
  records: ChainedRecord[]
  checkpoints: Checkpoint[]
  head: { seq: number; hash: string; checkpoint_seq: number }
  /** Where to go on, or null when this reaches the head. */
  next_after_seq: number | null
}

const readHead = sql<AuditExport['head']>(
  'SELECT seq, hash, checkpoint_seq FROM audit_head WHERE only_row = 1',
)
const readCheckpoints = sql<Checkpoint>(
  'SELECT seq, at, hash, previous_seq, rule, signature FROM audit_checkpoints WHERE seq <= ? ORDER BY seq LIMIT ?',
)
const hashAt = sql<{ hash: string }>('SELECT hash FROM audit_records WHERE seq = ?')
const after = sql<ChainedRecord>(
  'SELECT * FROM audit_records WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
)

/** The records after a number, of all vaults, oldest first; what was pruned is stood for by its checkpoints. */
export async function exportAudit(
  db: Reader,
  wanted: { after_seq: number; limit: number },
): Promise<AuditExport> {
  for (let tries = 1; tries <= READ_LIMIT; tries++) {
    const found = await readStretch(db, wanted)
    // A prune between the reads moves the start of the chain; then they do not belong together.
    const now = await db.get(readHead)
    if (found && found.head.checkpoint_seq === now?.checkpoint_seq) return found
  }
  throw new StorageUnavailable('The audit log is being pruned. Export it again later.')
}

async function readStretch(
  db: Reader,
  wanted: { after_seq: number; limit: number },
): Promise<AuditExport | undefined> {
  const head = (await db.get(readHead)) ?? { seq: 0, hash: GENESIS_HASH, checkpoint_seq: 0 }
  const checkpoints = await db.all(readCheckpoints, head.checkpoint_seq, CHECKPOINT_LIMIT)
  const start = Math.min(Math.max(wanted.after_seq, head.checkpoint_seq), head.seq)
  const previous_hash =
    start === head.checkpoint_seq
      ? (checkpoints.at(-1)?.hash ?? GENESIS_HASH)
      : (await db.get(hashAt, start))?.hash
  if (previous_hash === undefined) return undefined
  const records = await db.all(after, start, head.seq, Math.min(wanted.limit, EXPORT_PAGE_LIMIT))
  const last = records.at(-1)?.seq ?? head.seq
  const next_after_seq = last < head.seq ? last : null
  return { from_seq: start + 1, previous_hash, records, checkpoints, head, next_after_seq }
}
