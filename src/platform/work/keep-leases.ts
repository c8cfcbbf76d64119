import type { Holding } from './holdings.ts'
import { leaseTime } from './lease-clock.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { WorkKind } from './work-kind.ts'
import type { WorkClaim } from './work-table.ts'

/** How often a worker looks whether what it holds is still wanted. */
const CHECK_EVERY_MS = 500
/** How often it renews its leases. */
const RENEW_EVERY_MS = 2_500

/** Keeps the leases of one worker while it holds something, and stops what it has lost. */
export function keepLeases<Name extends string, Claim extends WorkClaim<Name>>(
  kind: WorkKind<Name, Claim>,
  owner: string,
  holdings: ReadonlyMap<string, Holding<Claim>>,
) {
  const { db, table, onFault } = kind
  let timer: NodeJS.Timeout | undefined
  let renewed = Number.NEGATIVE_INFINITY
  /** Whether rows stand under this worker's name that it does not work on: their end could not be written. */
  let hasStrays = false

  const renew = (before: readonly Holding<Claim>[]) =>
    db.transaction(async (tx) => {
      const { until } = await leaseTime(tx, kind, table.lease_ms)
      if (!hasStrays) return table.renewAll(tx, owner, until)
      // Strays are left to run out.
      const claims = before.map(({ task }) => task.claim)
      return table.renewEach(tx, claims, until)
    })
  const checking = oneAtATime(async () => {
    const since = performance.now()
    // What begins after the rows were read cannot be missing from them.
    const before = [...holdings.values()]
    if (await kind.mustBreakOff?.()) {
      for (const holding of before) holding.stop('locked')
      return letGo(kind, owner)
    }
    const isDue = since - renewed >= RENEW_EVERY_MS
    const rows = await (isDue ? renew(before) : table.listHeld(db, owner))
    if (isDue) renewed = since
    const fences = new Map(rows.map((row) => [table.nameOf(row), row.fence]))
    for (const holding of before) {
      if (fences.get(holding.name) !== holding.task.claim.fence) holding.stop('lost')
      else if (isDue) holding.held_until = since + table.lease_ms
    }
    hasStrays = rows.some((row) => holdings.get(table.nameOf(row))?.task.claim.fence !== row.fence)
    await kind.onCheck?.(before.map(({ task }) => task))
  })
  const check = () => void (holdings.size > 0 && checking.run().catch(onFault))
  return {
    check,
    renew() {
      renewed = Number.NEGATIVE_INFINITY
      return checking.run()
    },
    /** To be called when something is held; what was claimed now needs no renewal yet. */
    wake() {
      if (timer) return
      renewed = performance.now()
      timer = setInterval(check, CHECK_EVERY_MS)
    },
    rest() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Lets others take over at once what this worker has stopped. */
export async function letGo<Name extends string, Claim extends WorkClaim<Name>>(
  { db, releaseAll }: WorkKind<Name, Claim>,
  owner: string,
): Promise<void> {
  if (releaseAll) await db.transaction((tx) => releaseAll(tx, owner))
}
