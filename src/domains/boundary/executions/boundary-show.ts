import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { ExecutionAnswer, WaitSeconds } from './execution-answer.ts'
import { RunId, runTarget } from './execution-record.ts'
import { findExecution, toExecution } from './execution-store.ts'
import { waitForEnd } from './wait-for-end.ts'

export const boundaryShow = defineOperation({
  name: 'boundary_show',
  summary: 'Show an execution: its state, how far its engine says it is, and how it ended.',
  effect: 'read',
  authority: vaultMember('read'),
  whileLocked: true,
  waits: true,
  rest: 'GET /api/v1/boundary/executions/{run_id}',
  mcp: true,
  cli: 'boundary show <run_id>',
  errors: boundaryErrors.pick('unknown_execution'),
  target: ({ run_id }) => runTarget(run_id),
  input: z.strictObject({ run_id: RunId, wait_seconds: WaitSeconds }),
  output: ExecutionAnswer,
  present: async () => (await import('./present-executions.ts')).presentExecution,
  async handle({ input, vault_id, db, hub, signal, refuse }) {
    const found = (await findExecution(db, vault_id, input.run_id)) ?? refuse('unknown_execution')
    const row = await waitForEnd(hub, found, input.wait_seconds ?? 0, signal)
    return {
      schema: 'knowtation.boundary_execution/v0',
      vault_id,
      idempotent: true,
      execution: toExecution(row),
    }
  },
})
