import type { Hub } from '../../../operations/hub.ts'
import { askTime } from '../../../platform/storage/database-clock.ts'
import type { Finding } from './doctor-finding.ts'

/** More than this is told. */
const SKEW_LIMIT_MS = 2_000

/** Hubs on one PostgreSQL take their times from it; what else runs on the machine, and its logs, do not. */
export async function clockFindings({ db, machineNow }: Pick<Hub, 'db' | 'machineNow'>): Promise<Finding[]> {
  if (db.kind !== 'postgres') return []
  // Once before, so that making a connection is not taken for a difference.
  await askTime(db)
  const before = machineNow().getTime()
  const { there_ms: there } = await askTime(db)
  const after = machineNow().getTime()
  // The database answered somewhere between the two.
  const skew_ms = there < before ? there - before : there > after ? there - after : 0
  const isApart = Math.abs(skew_ms) > SKEW_LIMIT_MS
  return [
    {
      subject: 'clock',
      state: isApart ? 'wrong' : 'ok',
      detail: isApart
        ? `this machine's is ${(Math.abs(skew_ms) / 1_000).toFixed(1)} s ${skew_ms > 0 ? 'behind' : 'ahead of'} the database's`
        : 'agrees with the database',
      fix: isApart
        ? 'Set the clocks of all machines by NTP. The hub takes leases and expiry from the database meanwhile.'
        : null,
    },
  ]
}
