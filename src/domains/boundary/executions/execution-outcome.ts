import type { ExecutionErrorCode, ExecutionOutcome } from './execution-record.ts'

const ERRORS: Readonly<Record<ExecutionErrorCode, { message: string; retryable: boolean }>> = {
  COHERENCE_BLOCKED: { message: 'The snapshot is not coherent enough for this run mode.', retryable: false },
  MODEL_OUTPUT_INVALID: { message: 'The engine did not answer as the contract wants.', retryable: true },
  VALIDATION_ERROR: { message: 'The engine refused the input.', retryable: false },
  ENGINE_GAVE_UP: { message: 'The engine gave up without a reason.', retryable: false },
  ENGINE_TIMEOUT: { message: 'The engine did not answer in time.', retryable: true },
  ENGINE_CRASHED: { message: 'The engine stopped without an answer.', retryable: true },
  ENGINE_FLOODED: { message: 'The engine wrote or used more than it may.', retryable: true },
  ENGINE_UNAVAILABLE: { message: 'The engine cannot be called now.', retryable: true },
  ENGINE_INTERRUPTED: {
    message: 'The hubs that ran the engine stopped before it was done.',
    retryable: true,
  },
  LEDGER_WRITE_FAILED: {
    message: 'The answer was accepted and could not be written to the ledger. It is kept as a dead letter.',
    retryable: true,
  },
}

/** An error in the hub's own words; an engine's own judgement of retrying counts where it gave one. */
export function executionError(code: ExecutionErrorCode, retryable = ERRORS[code].retryable) {
  return { code, message: ERRORS[code].message, retryable }
}

const NOTHING: Omit<ExecutionOutcome, 'status' | 'finished_at'> = {
  error: null,
  violations: [],
  cancel_reason: null,
  artifact_ledger_ids: [],
  event_ledger_id: null,
  dead_letter_id: null,
  reported: null,
  duration_ms: null,
}

/** An outcome with what is said of it. */
export function outcomeOf(
  status: ExecutionOutcome['status'],
  now: Date,
  more: Partial<ExecutionOutcome> = {},
): ExecutionOutcome {
  return { ...NOTHING, status, ...more, finished_at: now.toISOString() }
}
