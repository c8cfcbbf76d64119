import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { updateRun } from './flow-run-store.ts'
import { requireCurrentStep } from './require-run.ts'
import { RunAnswer, runGate, runShape, runTarget } from './run-operation-parts.ts'
import { isVerifiable, withStep } from './run-progress.ts'
import { POINTER_KINDS, StepId, toFlowRun } from './run-record.ts'

/** An id or an address, never a document: no white space and not long. */
const EvidenceRef = z
  .string()
  .regex(/^[\w.:/#@+=%~-]{1,256}$/)
  .describe('An opaque pointer to the evidence, without white space')

export const flowRunEvidence = defineOperation({
  name: 'flow_run_evidence',
  summary: 'Record where the evidence for the step that a run is at can be found.',
  effect: 'update',
  idempotent: true,
  authority: vaultMember('write'),
  gate: runGate,
  rest: 'POST /api/v1/flows/{flow_id}/runs/{run_id}/evidence',
  mcp: true,
  cli: 'flow run evidence <flow_id> <run_id>',
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
    pointer_kind: z.enum(POINTER_KINDS).describe('What the pointer points to'),
    ref: EvidenceRef,
  }),
  output: RunAnswer,
  present: async () => (await import('./present-flow-runs.ts')).presentRun,
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { run, step } = await requireCurrentStep(context)
    if (!isVerifiable(step)) refuse('FLOW_VERIFICATION_UNSATISFIED')
    const evidence_ref = `${input.pointer_kind}:${input.ref}`
    // A review was of the evidence that it saw: new evidence has to be reviewed again.
    const verified = step.kind === 'artifact_exists' || (step.verified && step.evidence_ref === evidence_ref)
    const moved = withStep(run, { ...step, evidence_ref, verified })
    await updateRun(db, vault_id, moved)
    return { schema: 'knowtation.flow_run_get/v0', vault_id, run: toFlowRun(moved) }
  },
})
