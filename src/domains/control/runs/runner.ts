import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { keptWith } from '../../../platform/basics/kept-with.ts'
import { type JobQueue, openJobQueue } from '../../../platform/jobs/job-queue.ts'
import { openCarrier } from '../../../platform/jobs/open-carrier.ts'
import { sql } from '../../../platform/storage/database.ts'
import { keepRuns } from './keep-runs.ts'
import { workOnRun } from './work-on-run.ts'

/** Runs that one hub works on at once. */
const SLOTS = 8
/** Runs that are handed to the queue in one go. */
const BATCH = 100
const QUEUE = 'collection_runs'

const due = sql<{ run_id: string }>(
  `SELECT run_id FROM collection_runs WHERE state = 'queued' AND run_at <= ? ORDER BY run_at, run_id LIMIT ?`,
)
const abandoned = sql<{ run_id: string }>(
  `SELECT run_id FROM collection_runs WHERE state IN ('running', 'cancelling') AND lease_until < ? LIMIT ?`,
)

/** Works on runs in the background of one hub. */
export interface Runner {
  /** Looks for runs to work on; what other processes have queued is found here too. */
  look(): Promise<void>
}

/** The one runner of a hub that serves; it ends with the hub. */
export const runnerOf = keptWith(createRunner)

/** The operations after which there may be something to do at once. */
const WAKING = new Set(['owner_connection_run', 'owner_connector_run', 'owner_run_cancel'])

function createRunner(hub: Hub): Runner {
  const onFault = (error: unknown) => reportFault(hub.log, 'collection_runs', error)
  const hands = keepRuns(hub, `hub_${hub.system.random(12)}`, onFault)
  let queue: Promise<JobQueue> | undefined
  let looking: Promise<void> | undefined
  let closed = false

  // Opened with the first run there is: a hub without connections needs no queue.
  const openQueue = async () => {
    const carrier = await openCarrier(hub, QUEUE, onFault)
    const work = (job: Parameters<typeof workOnRun>[2]) => workOnRun(hub, hands, job)
    return openJobQueue(carrier, { slots: SLOTS, work, onFault })
  }
  const lookOnce = async () => {
    if (closed) return
    const now = hub.system.now().toISOString()
    const found = [...(await hub.db.all(due, now, BATCH)), ...(await hub.db.all(abandoned, now, BATCH))]
    if (found.length === 0 && !queue) return
    const jobs = await (queue ??= openQueue().catch((error: unknown) => {
      queue = undefined
      throw error
    }))
    if (found.length > 0) await jobs.add(found.map(({ run_id }) => run_id))
    if (found.length > 0) await jobs.look()
  }
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)))
  hub.observers.push(({ operation }) => {
    if (!WAKING.has(operation) || closed) return
    hands.look()
    void look().catch(onFault)
  })
  hub.closing.push(async () => {
    closed = true
    await looking?.catch(() => {})
    await (await queue)?.close()
  })
  return { look }
}
