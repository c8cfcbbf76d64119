import { setTimeout as pause } from 'node:timers/promises'
import { freezeInput } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { StorageUnavailable } from '../../../platform/storage/database.ts'
import type { Task } from '../../../platform/work/work-kind.ts'
import type { EngineRoom } from '../engines/run-engine.ts'
import { type Accepted, endExecution, endWithAnswer, endWithDeadLetter } from './end-execution.ts'
import { outcomeOf } from './execution-outcome.ts'
import { beginRunning, type Claim } from './execution-work.ts'
import type { Job } from './job.ts'
import { judgeEnd } from './judge-end.ts'

/** A store that cannot be written is tried again so often before the answer is given up. */
const WRITE_TRIES = 6
const FIRST_PAUSE_MS = 200

/** Works on one execution from its start to its end: engine called, answer judged, end written. */
export async function workOn(hub: Hub, room: EngineRoom, { claim: job, signal }: Task<Job>): Promise<void> {
  const at = hub.system.now().toISOString()
  if (!(await hub.db.transaction((tx) => beginRunning(tx, job, at)))) return
  const kept = freezeInput(job.input)
  const started = performance.now()
  const end = await room.run(job.engine, `${job.run_id}.${job.attempt}`, {
    input_text: JSON.stringify(kept),
    signal,
    onProgress: (progress) => void (job.progress = progress),
  })
  // Whoever stopped it has written its end, or leaves it to another hub.
  if (end.kind === 'cancelled' || signal.aborted) return
  const duration_ms = Math.round(performance.now() - started)
  const judged = await judgeEnd(hub, kept, end)
  if (judged.kind === 'accepted') return keepAnswer(hub, job, { output: judged.output, duration_ms })
  await persistently(() =>
    endExecution(hub, job, async (_tx, _row, now) =>
      outcomeOf(judged.status, now, { ...judged.about, duration_ms }),
    ),
  )
}

/** Writes an accepted answer; one that the ledger does not take is kept as a dead letter. */
async function keepAnswer(hub: Hub, claim: Claim, accepted: Accepted): Promise<void> {
  try {
    await persistently(() => endWithAnswer(hub, claim, accepted))
  } catch (error) {
    reportFault(hub.log, 'ledger_append', error)
    const reason = error instanceof Error ? error.name : 'unknown'
    await persistently(() => endWithDeadLetter(hub, claim, accepted, reason))
  }
}

async function persistently(write: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await write()
      return
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || tries >= WRITE_TRIES) throw error
    }
    await pause(FIRST_PAUSE_MS * 2 ** tries)
  }
}
