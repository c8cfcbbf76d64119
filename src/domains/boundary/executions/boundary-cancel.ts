import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { writeEnd } from './end-execution.ts'
import { ExecutionAnswer } from './execution-answer.ts'
import { outcomeOf } from './execution-outcome.ts'
import { RunId, runTarget } from './execution-record.ts'
import { runnerOf } from './execution-runner.ts'
import { checkMoves, isEnded } from './execution-state.ts'
import { lockExecution, toExecution } from './execution-store.ts'

const REASON_CHARS = 200

export const boundaryCancel = defineOperation({
  name: 'boundary_cancel',
  summary: 'Cancel an execution that has not ended. Its engine is stopped and nothing it answers is kept.',
  effect: 'update',
  idempotent: true,
  authority: vaultMember('write'),
  whileLocked: true,
  rest: 'POST /api/v1/boundary/executions/{run_id}/cancel',
  mcp: true,
  cli: 'boundary cancel <run_id>',
  errors: boundaryErrors.pick('unknown_execution', 'EXECUTION_ENDED'),
  target: ({ run_id }) => runTarget(run_id),
  input: z.strictObject({
    run_id: RunId,
    reason: z
      .string()
      .max(REASON_CHARS)
      .regex(/^[^\p{Cc}\p{Cs}]*\S[^\p{Cc}\p{Cs}]*$/u)
      .optional()
      .describe('Why, in a line'),
  }),
  output: ExecutionAnswer,
  present: async () => (await import('./present-executions.ts')).presentExecution,
  async handle({ input, vault_id, db, hub, now, refuse }) {
    const row = (await lockExecution(db, vault_id, input.run_id)) ?? refuse('unknown_execution')
    const wasCancelled = row.state === 'cancelled'
    if (isEnded(row.state) && !wasCancelled) refuse('EXECUTION_ENDED')
    if (row.state === 'planned') checkMoves('planned', 'running')
    const cancel_reason = input.reason ?? 'CANCELLED_BY_CALLER'
    const ended = wasCancelled
      ? row
      : await writeEnd(db, row, outcomeOf('cancelled', now, { cancel_reason }), now)
    return new ActOutside(async () => {
      runnerOf(hub).stop({ vault_id, run_id: row.run_id })
      const execution = toExecution(ended)
      return {
        schema: 'knowtation.boundary_execution/v0' as const,
        vault_id,
        idempotent: wasCancelled,
        execution,
      }
    })
  },
})
