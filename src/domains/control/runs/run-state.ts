export const RUN_STATES = ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const
export type RunState = (typeof RUN_STATES)[number]

/** What a run was started by. */
export const RUN_CAUSES = ['owner', 'schedule', 'change'] as const
export type RunCause = (typeof RUN_CAUSES)[number]

const ENDED: ReadonlySet<RunState> = new Set(['succeeded', 'failed', 'cancelled'])

/** Whether nothing more will come of a run. */
export function isEnded(state: RunState): boolean {
  return ENDED.has(state)
}

const MOVES: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  // Back to the queue: after a passing fault, or when its hub stops.
  running: ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'],
  cancelling: ['cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
}

/** Whether a run may go from one state to another. */
export function isMove(from: RunState, to: RunState): boolean {
  return MOVES[from].includes(to)
}
