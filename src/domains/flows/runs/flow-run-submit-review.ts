import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { isOwnWork } from '../own-work.ts'
import { updateRun } from './flow-run-store.ts'
import { requireCurrentStep } from './require-run.ts'
import { RunAnswer, runGate, runShape, runTarget } from './run-operation-parts.ts'
import { withStep } from './run-progress.ts'
import { StepId, toFlowRun } from './run-record.ts'

export const flowRunSubmitReview = defineOperation({
  name: 'flow_run_submit_review',
  summary: 'Say what the review of the step that a run is at has found. Only a pass verifies it.',
  effect: 'update',
  idempotent: true,
  authority: vaultMember('evaluate'),
  gate: runGate,
  rest: 'POST /api/v1/flows/{flow_id}/runs/{run_id}/submit-review',
  mcp: true,
  cli: 'flow run review <flow_id> <run_id>',
  errors: flowErrors.pick(
    'unknown_run',
    'FLOW_SCOPE_AMBIGUOUS',
    'FLOW_RUN_WRITES_DISABLED',
    'FLOW_RUN_NOT_IN_PROGRESS',
    'FLOW_STEP_OUT_OF_ORDER',
    'FLOW_VERIFICATION_UNSATISFIED',
    'FLOW_SELF_APPROVAL_DENIED',
  ),
  target: runTarget,
  input: z.strictObject({
    ...runShape,
    step_id: StepId,
    outcome: z.enum(['pass', 'fail', 'needs_changes']).describe('What the review has found'),
  }),
  output: RunAnswer,
  present: async () => (await import('./present-flow-runs.ts')).presentRun,
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { run, step } = await requireCurrentStep(context)
    if (step.kind !== 'human_review') refuse('FLOW_VERIFICATION_UNSATISFIED')
    const verified = input.outcome === 'pass'
    if (verified && isOwnWork(context, run.started_by)) refuse('FLOW_SELF_APPROVAL_DENIED')
    const moved = withStep(run, { ...step, verified })
    await updateRun(db, vault_id, moved)
    return { schema: 'knowtation.flow_run_get/v0', vault_id, run: toFlowRun(moved) }
  },
})
