import { setTimeout as pause } from 'node:timers/promises'
import type { Hub } from '../../../operations/hub.ts'
import { runnerOf } from './execution-runner.ts'
import { isEnded } from './execution-state.ts'
import { type ExecutionRow, findExecution } from './execution-store.ts'

/** How often an execution that another hub works on is looked at. */
const LOOK_EVERY_MS = 250

/** The execution as it stands when it has ended, the time is up, or nobody waits any more. */
export async function waitForEnd(
  hub: Hub,
  row: ExecutionRow,
  seconds: number,
  signal?: AbortSignal,
): Promise<ExecutionRow> {
  const { vault_id, run_id, attempt } = row
  const until = performance.now() + seconds * 1_000
  let latest = row
  for (;;) {
    latest = (await findExecution(hub.db, vault_id, run_id)) ?? latest
    const left = until - performance.now()
    if (isEnded(latest.state) || latest.attempt !== attempt || left <= 0 || signal?.aborted) return latest
    await Promise.race([runnerOf(hub).settled({ vault_id, run_id }) ?? pauseFor(left), pauseFor(left)])
  }
}

function pauseFor(left_ms: number): Promise<void> {
  return pause(Math.min(left_ms, LOOK_EVERY_MS))
}
