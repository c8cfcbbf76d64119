import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { updateRun } from './flow-run-store.ts'
import { requireCurrentStep } from './require-run.ts'
import { RunAnswer, runGate, runShape, runTarget } from './run-operation-parts.ts'
import { mayBeDone, withStep } from './run-progress.ts'
import { SKIP_REASONS, StepId, toFlowRun } from './run-record.ts'

export const flowRunAdvance = defineOperation({
  name: 'flow_run_advance',
  summary: 'Move the step that a run is at. Only the record changes: nothing is carried out or called.',
  effect: 'update',
  authority: vaultMember('write'),
  gate: runGate,
  rest: 'POST /api/v1/flows/{flow_id}/runs/{run_id}/advance',
  mcp: true,
  cli: 'flow run advance <flow_id> <run_id>',
  errors: flowErrors.pick(
    'unknown_run',
    'FLOW_SCOPE_AMBIGUOUS',
    'FLOW_RUN_WRITES_DISABLED',
    'FLOW_RUN_NOT_IN_PROGRESS',
    'FLOW_STEP_OUT_OF_ORDER',
    'FLOW_VERIFICATION_UNSATISFIED',
  ),
  target: runTarget,
  input: z.strictObject({
    ...runShape,
    step_id: StepId,
    to_status: z.enum(['in_progress', 'blocked', 'done', 'skipped']).describe('Where the step goes'),
    skip_reason: z
      .enum(SKIP_REASONS)
      .optional()
      .describe('Why the step is skipped; only then, and then required'),
  }),
  output: RunAnswer,
  present: async () => (await import('./present-flow-runs.ts')).presentRun,
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { to_status, skip_reason = null } = input
    if ((to_status === 'skipped') !== (skip_reason !== null)) {
      refuse('BAD_REQUEST', 'skip_reason goes with to_status skipped, and only with it.')
    }
    const { run, step } = await requireCurrentStep(context)
    if (to_status === 'done' && !mayBeDone(step)) refuse('FLOW_VERIFICATION_UNSATISFIED')
    const moved = withStep(run, { ...step, status: to_status, skip_reason })
    await updateRun(db, vault_id, moved)
    return { schema: 'knowtation.flow_run_get/v0', vault_id, run: toFlowRun(moved) }
  },
})
