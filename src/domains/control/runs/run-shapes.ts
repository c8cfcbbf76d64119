import { z } from 'zod'
import { RUN_EVENT_TYPES, type StoredRunEvent } from './run-events.ts'
import { rateProgress } from './run-rates.ts'
import { RUN_CAUSES, RUN_STATES } from './run-state.ts'
import { progressOf, type RunRow } from './run-store.ts'

/** Anything that could be meant as a run's id: what is none of ours is not found. */
export const RunId = z.string().min(1).max(100).describe('The id of the run')

const Count = z.int().nonnegative()

const ProgressShape = z.strictObject({
  pages: Count,
  records: Count,
  changed: Count,
  removed: Count,
  bytes: Count,
  total: Count.nullable(),
  records_per_second: z.number(),
  bytes_per_second: z.number(),
  seconds_left: z.number().nullable().describe('Known only where the source says how much it has'),
})

/** A run as it is shown. */
export const RunShape = z.strictObject({
  object: z.literal('owner_run'),
  run_id: z.string(),
  connection_id: z.string(),
  status: z.enum(RUN_STATES),
  cause: z.enum(RUN_CAUSES),
  attempt: Count,
  max_attempts: Count,
  queued_at: z.string(),
  run_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  cancel_reason: z.string().nullable(),
  fault: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  progress: ProgressShape,
})

export const RunEventShape = z.strictObject({
  object: z.literal('owner_run_event'),
  seq: Count,
  at: z.string(),
  type: z.enum(RUN_EVENT_TYPES),
  data: z.record(z.string(), z.unknown()),
})

export function showRun(row: RunRow, now: Date): z.infer<typeof RunShape> {
  const { run_id, connection_id, cause, attempt, max_attempts, queued_at, run_at } = row
  const { state, started_at, ended_at, cancel_reason, fault_code, fault_text } = row
  return {
    object: 'owner_run',
    run_id,
    connection_id,
    status: state,
    cause,
    attempt,
    max_attempts,
    queued_at,
    run_at,
    started_at,
    ended_at,
    cancel_reason,
    fault: fault_code === null ? null : { code: fault_code, message: fault_text ?? '' },
    progress: rateProgress(progressOf(row), row, now),
  }
}

export function showRunEvent({ seq, at, type, data }: StoredRunEvent): z.infer<typeof RunEventShape> {
  return { object: 'owner_run_event', seq, at, type, data }
}
