import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { restWhileLocked } from '../../../operations/rest-while-locked.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { openSemaphore } from '../../../platform/basics/semaphore.ts'
import type { Task } from '../../../platform/work/work-kind.ts'
import { openWorker } from '../../../platform/work/worker.ts'
import type { EngineProgress } from '../engines/engine-end.ts'
import { plainNote } from '../engines/progress-lines.ts'
import { openEngineRoom } from '../engines/run-engine.ts'
import { executionWork, letGoOfAll, writeProgress } from './execution-work.ts'
import type { Job } from './job.ts'
import { takeOver } from './take-over.ts'
import { workOn } from './work-on.ts'

/** Commands that run at once in one hub: each is a process of its own. */
const COMMAND_SLOTS = 4
/** Calls over HTTP that wait at once. */
const HTTP_SLOTS = 64
/** Executions that wait for their turn in one hub; the next ones are refused until there is room. */
const WAITING_LIMIT = 10_000
/** Executions taken over in one go. */
const BATCH = 50

/** The one runner of a hub; it ends with the hub. */
export const runnerOf = (hub: Hub) => partOf(hub, openRunner)

function openRunner(hub: Hub) {
  const room = openEngineRoom(hub)
  const slots = { command: openSemaphore(COMMAND_SLOTS), http: openSemaphore(HTTP_SLOTS) }
  const runner = openWorker({
    ...restWhileLocked(hub),
    db: hub.db,
    system: hub.system,
    table: executionWork,
    slots: WAITING_LIMIT,
    find: (time, limit) => executionWork.listAbandoned(hub.db, time, Math.min(limit, BATCH)),
    claim: (tx, key, owner) => takeOver(tx, hub, key, owner),
    async work(task: Task<Job>) {
      const giveBack = await slots[task.claim.engine.kind].acquire()
      try {
        if (!task.signal.aborted) await workOn(hub, room, task)
      } finally {
        giveBack()
      }
    },
    releaseAll: letGoOfAll,
    onCheck: (tasks) =>
      tellProgress(
        hub,
        tasks.map(({ claim }) => claim),
      ),
    onFault: (error) => reportFault(hub.log, 'boundary_run', error),
  })
  hub.closing.push(() => runner.close().finally(room.close))
  return runner
}

/** Writes what engines have said of their progress since it was last written, without secrets. */
async function tellProgress(hub: Hub, jobs: readonly Job[]): Promise<void> {
  const told = jobs.filter((job) => job.progress !== job.written)
  if (told.length === 0) return
  // Kept beside what is shown: an engine may say more while this is being written.
  const news = await Promise.all(
    told.map(async (job) => {
      const { progress } = job
      return { job, progress, shown: await shownProgress(hub, progress as EngineProgress) }
    }),
  )
  const at = hub.system.now().toISOString()
  await hub.db.transaction(async (tx) => {
    for (const { job, shown } of news) await writeProgress(tx, job, JSON.stringify({ ...shown, at }), at)
  })
  for (const { job, progress } of news) job.written = progress
}

async function shownProgress(
  hub: Pick<Hub, 'redactValue'>,
  { share, note }: EngineProgress,
): Promise<EngineProgress> {
  if (note === null) return { share, note }
  const { note: shown } = (await hub.redactValue({ note })) as { note: string }
  return { share, note: plainNote(shown) }
}
