import type { Hub } from '../../../operations/hub.ts'
import type { PruneRule } from '../../../platform/audit/retention.ts'
import { counted } from '../../../platform/basics/printable.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { Finding } from './doctor-finding.ts'

const DAY_MS = 86_400_000
/** A log that was cut by number or size and reaches back less than this is filled by somebody. */
const SHORT_DAYS = 7
/** So many of the newest records tell who fills it. */
const LOOKED_AT = 10_000

const oldestKept = sql<{ at: string }>('SELECT at FROM audit_records ORDER BY seq LIMIT 1')
const mostBusy = sql<{ caller_kind: string; caller_id: string; calls: number }>(
  `SELECT caller_kind, caller_id, CAST(COUNT(*) AS INTEGER) AS calls FROM audit_records
   WHERE seq > (SELECT MAX(seq) FROM audit_records) - ${LOOKED_AT}
   GROUP BY caller_kind, caller_id ORDER BY calls DESC, caller_id LIMIT 1`,
)

/**
 * Who has a credential can push older records out by calling without end, since each call leaves one. That cannot be
 * kept from happening on a disk that has an end, so it is told while there is something to be seen.
 */
export async function reachFindings(
  { db, system, config }: Pick<Hub, 'db' | 'system' | 'config'>,
  last_rule: PruneRule | null | undefined,
): Promise<Finding[]> {
  if (last_rule !== 'count' && last_rule !== 'size') return []
  const oldest = await db.get(oldestKept)
  const busiest = await db.get(mostBusy)
  if (!oldest || !busiest) return []
  const reach_days = (system.now().getTime() - Date.parse(oldest.at)) / DAY_MS
  if (reach_days >= Math.min(SHORT_DAYS, config.audit.max_age_days)) return []
  const { caller_kind, caller_id, calls } = busiest
  return [
    {
      subject: 'reach of the audit log',
      state: 'wrong',
      detail: `it reaches back to ${oldest.at} alone, and ${counted(calls, 'record')} of the newest are of ${caller_kind} ${caller_id}`,
      fix: 'If nobody should call so often, revoke that credential, or set rate_limits.calls_per_minute; else raise audit.max_records and audit.max_megabytes. What went is in exports made before.',
    },
  ]
}
