import type { Hub } from '../../../operations/hub.ts'
import { mustBreakOff } from '../../../operations/rest-while-locked.ts'
import { sql } from '../../../platform/storage/database.ts'
import { type RunClaim, renewRuns } from './run-moves.ts'
import type { RunState } from './run-state.ts'
import { RunStop, type RunsInHand } from './work-on-run.ts'

/** How often a hub that collects looks whether its runs are still wanted. */
const LOOK_EVERY_MS = 500
/** How often it renews its leases. */
const RENEW_EVERY_MS = 2_500
const HELD_LIMIT = 1_000

const ofOwner = sql<{ run_id: string; fence: number; state: RunState }>(
  `SELECT run_id, fence, state FROM collection_runs
   WHERE state IN ('running', 'cancelling') AND owner = ? LIMIT ?`,
)

/** Keeps the runs of a hub its own while it works on them, and stops those that nobody wants any more. */
export function keepRuns(hub: Hub, owner: string, onFault: (error: unknown) => void) {
  const held = new Map<string, { claim: RunClaim; stop: AbortController }>()
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let renewed = 0

  async function lookOnce(): Promise<void> {
    // What began after the rows were read cannot be missing from them.
    const before = [...held.values()]
    if (await mustBreakOff(hub)) for (const { stop } of before) stop.abort(new RunStop('locked'))
    const rows = await hub.db.all(ofOwner, owner, HELD_LIMIT)
    const wanted = new Map(rows.map((row) => [row.run_id, row]))
    for (const { claim, stop } of before) {
      const row = wanted.get(claim.run_id)
      if (row?.fence !== claim.fence) stop.abort(new RunStop('lost'))
      else if (row.state === 'cancelling') stop.abort(new RunStop('cancelled'))
    }
    if (performance.now() - renewed < RENEW_EVERY_MS) return
    await hub.db.transaction((tx) => renewRuns(tx, hub, owner))
    renewed = performance.now()
  }

  const look = () => {
    if (looking || held.size === 0) return
    looking = true
    lookOnce()
      .catch(onFault)
      .finally(() => (looking = false))
  }
  const hands: RunsInHand = {
    owner,
    hold(claim, stop) {
      held.set(claim.run_id, { claim, stop })
      if (timer) return
      renewed = performance.now()
      timer = setInterval(look, LOOK_EVERY_MS)
    },
    letGo(claim) {
      if (held.get(claim.run_id)?.claim === claim) held.delete(claim.run_id)
      if (held.size === 0) timer = void clearInterval(timer)
    },
  }
  return { ...hands, look }
}
