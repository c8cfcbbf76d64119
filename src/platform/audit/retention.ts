import { sql, type Transaction } from '../storage/database.ts'
import { STRANGER } from './audit-record.ts'
import type { AuditHead } from './chain-end.ts'

/** How long the log is kept. What strangers were refused counts for none of the limits but the age. */
export interface Retention {
  /** Records older than this many days may go. */
  max_age_days: number
  /** Records beyond this many may go, the oldest first. */
  max_records: number
  /** Records beyond this size, as far as it can be told from the newest ones. */
  max_megabytes?: number
}

/** The limit by which records went. */
export type PruneRule = 'age' | 'count' | 'size'

export interface Cut {
  /** The last record that goes. */
  readonly seq: number
  readonly rule: PruneRule
}

/** What a row takes beside its texts: numbers, lengths, its place in the tree. */
const ROW_OVERHEAD_BYTES = 100
/** So many of the newest records tell how large a record is. */
const MEASURED_RECORDS = 200

const firstKeptByAge = sql<{ seq: number }>(
  'SELECT seq FROM audit_records WHERE seq <= ? AND at >= ? ORDER BY seq LIMIT 1',
)
const countStrangers = sql<{ count: number }>(
  `SELECT COUNT(*) AS count FROM audit_records WHERE caller_kind = '${STRANGER}'`,
)
const knownAfter = sql<{ seq: number }>(
  `SELECT seq FROM audit_records WHERE seq > ? AND seq <= ? AND caller_kind <> '${STRANGER}'
   ORDER BY seq LIMIT 1 OFFSET ?`,
)
const measure = sql<{ bytes: number | null }>(
  `SELECT SUM(LENGTH(at) + LENGTH(vault_id) + LENGTH(caller_id) + LENGTH(client) + LENGTH(operation) + LENGTH(surface)
     + LENGTH(caller_kind) + LENGTH(COALESCE(target_kind, '')) + LENGTH(COALESCE(target_id, '')) + LENGTH(outcome)
     + LENGTH(COALESCE(code, '')) + LENGTH(policy_revision) + LENGTH(hash) + LENGTH(COALESCE(grant_id, ''))
     + LENGTH(COALESCE(flow_id, '')) + LENGTH(COALESCE(flow_version, '')) + LENGTH(COALESCE(seat_id, ''))
     + LENGTH(COALESCE(request_id, ''))) AS bytes
   FROM audit_records WHERE seq > ?`,
)

/** How far the chain may be cut, looking no further than `limit`; undefined where all of it is to be kept. */
export async function findCut(
  tx: Transaction,
  head: AuditHead,
  keep: Retention,
  { limit, believed }: { limit: number; believed: Date },
): Promise<Cut | undefined> {
  const oldest_day = new Date(believed.getTime() - keep.max_age_days * 86_400_000).toISOString()
  const kept = await tx.get(firstKeptByAge, limit, oldest_day)
  const strangers = (await tx.get(countStrangers))?.count ?? 0
  const known = head.seq - head.checkpoint_seq - strangers
  const found: Cut[] = [{ seq: kept ? kept.seq - 1 : limit, rule: 'age' }]
  const limits = [
    { rule: 'count' as const, most: keep.max_records },
    { rule: 'size' as const, most: await fittingRecords(tx, head, keep) },
  ]
  for (const { rule, most } of limits) {
    if (known <= most) continue
    const last = await tx.get(knownAfter, head.checkpoint_seq, limit, known - most - 1)
    found.push({ seq: last?.seq ?? limit, rule })
  }
  const furthest = found.reduce((one, other) => (other.seq > one.seq ? other : one))
  return furthest.seq > head.checkpoint_seq ? furthest : undefined
}

/** How many records of the size of the newest ones the log may hold. */
async function fittingRecords(tx: Transaction, { seq, checkpoint_seq }: AuditHead, keep: Retention) {
  if (keep.max_megabytes === undefined) return Number.POSITIVE_INFINITY
  const measured = Math.min(MEASURED_RECORDS, seq - checkpoint_seq)
  if (measured === 0) return Number.POSITIVE_INFINITY
  const bytes = (await tx.get(measure, seq - measured))?.bytes ?? 0
  return Math.floor((keep.max_megabytes * 1_000_000) / (ROW_OVERHEAD_BYTES + bytes / measured))
}
