/** Where an execution stands. */
export const EXECUTION_STATES = ['planned', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

const MOVES: Readonly<Record<ExecutionState, readonly ExecutionState[]>> = {
  planned: ['running'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
}

/** The states from which nothing but a new attempt leads on, and that only from `failed`. */
export function isEnded(state: ExecutionState): boolean {
  return MOVES[state].length === 0
}

/** Whether an execution may go from one state to another within an attempt, or by a higher one. */
export function isMove(from: ExecutionState, to: ExecutionState, higherAttempt = false): boolean {
  if (higherAttempt) return from === 'failed' && (to === 'planned' || to === 'running')
  return MOVES[from].includes(to)
}

/** Throws on a way that no execution may take. Every writer of a state goes through here. */
export function checkMoves(...states: readonly [ExecutionState, ...ExecutionState[]]): void {
  for (const [at, to] of states.slice(1).entries()) {
    const from = states[at] as ExecutionState
    if (!isMove(from, to)) throw new Error(`An execution cannot go from ${from} to ${to}.`)
  }
}
