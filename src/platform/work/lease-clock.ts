import type { System } from '../basics/system.ts'
import { type Database, type Reader, sql } from '../storage/database.ts'

/** How long a worker may be silent before its work goes to another. */
export const LEASE_MS = 10_000
/** No lease reaches so far ahead: one that seems to was written by a clock that was wrong, and counts for nothing. */
const FAR_MS = 3_600_000

/** Where leases stand. */
export interface LeasePlace {
  readonly db: Database
  readonly system: System
}

const serverNow = sql<{ now: string }>(
  `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`,
)

/**
 * The time by the one clock that all holders of leases share: the server's on PostgreSQL, this machine's on SQLite. In
 * a transaction it is read before the rows are, so a wait for a row makes a lease shorter, never longer.
 */
async function leaseNow(reader: Reader, { db, system }: LeasePlace): Promise<Date> {
  if (db.kind === 'sqlite') return system.now()
  const row = await reader.get(serverNow)
  return row ? new Date(row.now) : system.now()
}

/** The moments that decide about leases, as they are stored. */
export interface LeaseTime {
  readonly now: string
  readonly far: string
  readonly until: string
}

/** Reads the clock of the leases. */
export async function leaseTime(reader: Reader, place: LeasePlace, lease_ms = LEASE_MS): Promise<LeaseTime> {
  const now = await leaseNow(reader, place)
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString()
  return { now: now.toISOString(), far: later(FAR_MS), until: later(lease_ms) }
}

/** Whether nobody holds a row by its lease. */
export function isLeaseOver(lease_until: string | null, { now, far }: LeaseTime): boolean {
  return lease_until === null || lease_until < now || lease_until > far
}
