import { z } from 'zod'
import { STEP_ID, VERIFICATION_KINDS } from '../bundle/bundle-vocabulary.ts'
import { FlowId, ScopeName } from '../flow-schemas.ts'

const RUN_SCHEMA = 'knowtation.flow_run/v0'
const RUN_STATUSES = ['pending', 'in_progress', 'blocked', 'done', 'abandoned'] as const
const STEP_STATUSES = ['pending', 'in_progress', 'blocked', 'done', 'skipped'] as const
export const POINTER_KINDS = ['proposal', 'artifact', 'hash', 'test_result'] as const
export const SKIP_REASONS = ['policy', 'not_applicable', 'blocked_dependency'] as const

export const RunId = z
  .string()
  .regex(/^run_[a-z0-9_]{1,48}$/)
  .describe('The id of the run')
export const StepId = z.string().max(96).regex(STEP_ID).describe('The id of the step, such as flow_x#1')

const stepState = {
  step_id: z.string(),
  status: z.enum(STEP_STATUSES),
  /** A pointer `<kind>:<ref>`: what it points to is never stored here. */
  evidence_ref: z.string().nullable(),
  verified: z.boolean(),
}

/** One run of one version of a flow. */
export const FlowRun = z
  .strictObject({
    schema: z.literal(RUN_SCHEMA),
    run_id: RunId,
    run_ref: z.string(),
    flow_id: FlowId,
    flow_version: z.string(),
    scope: ScopeName,
    status: z.enum(RUN_STATUSES),
    step_states: z.array(z.strictObject(stepState)),
    started: z.string(),
    provenance: z.strictObject({ actor: z.string(), harness: z.string() }),
    task_ref: z.string().nullable(),
    external_ref: z.string().nullable(),
  })
  .meta({ id: 'FlowRun' })
export type FlowRun = z.infer<typeof FlowRun>

/** A step's state with what the pinned version says about its verification. */
const KeptStep = z.strictObject({
  ...stepState,
  kind: z.enum(VERIFICATION_KINDS),
  evidence_required: z.boolean(),
  skip_reason: z.enum(SKIP_REASONS).nullable(),
})
export type KeptStep = z.infer<typeof KeptStep>
export const KeptSteps = z.array(KeptStep)

/** A run as it is stored: who started it stays inside the hub. */
export interface KeptRun {
  run_id: string
  flow_id: string
  flow_version: string
  scope: FlowRun['scope']
  status: FlowRun['status']
  started: string
  started_by: string
  actor: string
  harness: string
  task_ref: string | null
  external_ref: string | null
  steps: KeptStep[]
}

/** The run as it goes out. */
export function toFlowRun(run: KeptRun): FlowRun {
  return {
    schema: RUN_SCHEMA,
    run_id: run.run_id,
    run_ref: `flow_run:${run.run_id}`,
    flow_id: run.flow_id,
    flow_version: run.flow_version,
    scope: run.scope,
    status: run.status,
    step_states: run.steps.map(({ step_id, status, evidence_ref, verified }) => ({
      step_id,
      status,
      evidence_ref,
      verified,
    })),
    started: run.started,
    provenance: { actor: run.actor, harness: run.harness },
    task_ref: run.task_ref,
    external_ref: run.external_ref,
  }
}
