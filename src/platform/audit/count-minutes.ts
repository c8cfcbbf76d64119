import { type Reader, sql } from '../storage/database.ts'
import type { AuditOutcome } from './audit-record.ts'

/** The log carries no index but its own order, so no count looks at more of its newest records. */
export const COUNT_SCAN_LIMIT = 100_000

export interface MinuteCount {
  /** Such as `2026-01-31T12:00`. */
  minute: string
  operation: string
  caller_kind: string
  outcome: AuditOutcome
  calls: number
  /** Equal calls that share a record count once here. */
  records: number
  spent_ms: number
  slowest_ms: number
}

const newest = sql<{ seq: number }>('SELECT seq FROM audit_head WHERE only_row = 1')
const count = sql<MinuteCount>(
  `SELECT substr(at, 1, 16) AS minute, operation, caller_kind, outcome, CAST(SUM(repeats) AS INTEGER) AS calls,
     CAST(COUNT(*) AS INTEGER) AS records, CAST(SUM(duration_us) / 1000.0 AS DOUBLE PRECISION) AS spent_ms,
     CAST(MAX(duration_us) / 1000.0 AS DOUBLE PRECISION) AS slowest_ms
   FROM audit_records WHERE seq > ? AND vault_id = ? AND at >= ?
   GROUP BY substr(at, 1, 16), operation, caller_kind, outcome ORDER BY minute`,
)
const countCallers = sql<{ callers: number }>(
  `SELECT CAST(COUNT(DISTINCT caller_id) AS INTEGER) AS callers FROM audit_records
   WHERE seq > ? AND vault_id = ? AND at >= ? AND caller_kind NOT IN ('owner_session', 'local', 'anonymous')`,
)
const findAt = sql<{ at: string }>('SELECT at FROM audit_records WHERE seq > ? ORDER BY seq LIMIT 1')

/** How many calls of each kind each minute had since a moment, and how many made them. */
export async function countMinutes(db: Reader, vault_id: string, since: string) {
  const after = Math.max(0, ((await db.get(newest))?.seq ?? 0) - COUNT_SCAN_LIMIT)
  const rows = await db.all(count, after, vault_id, since)
  const { callers } = (await db.get(countCallers, after, vault_id, since)) ?? { callers: 0 }
  const oldest = after === 0 ? undefined : await db.get(findAt, after)
  return { rows, callers, complete: oldest === undefined || oldest.at < since }
}
