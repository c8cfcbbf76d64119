import { hash } from 'node:crypto'
import { z } from 'zod'
import {
  type AgentInput,
  ARTIFACT_TYPES,
  COHERENCE_STATUSES,
  comparableInput,
  OBJECTIVE_ACTIONS,
  OBJECTIVE_TYPES,
  OUTPUT_STATUSES,
  RUN_MODES,
} from '../../../boundary/index.ts'
import { EXECUTION_STATES } from './execution-state.ts'

/** Why an execution did not succeed. The first three are the contract's, the others the hub's own. */
const EXECUTION_ERROR_CODES = [
  'COHERENCE_BLOCKED',
  'MODEL_OUTPUT_INVALID',
  'VALIDATION_ERROR',
  'ENGINE_GAVE_UP',
  'ENGINE_TIMEOUT',
  'ENGINE_CRASHED',
  'ENGINE_FLOODED',
  'ENGINE_UNAVAILABLE',
  'ENGINE_INTERRUPTED',
  'LEDGER_WRITE_FAILED',
] as const
export type ExecutionErrorCode = (typeof EXECUTION_ERROR_CODES)[number]

const RUN_ID = /^brun_[0-9a-f]{32}$/
export const RunId = z.string().regex(RUN_ID).describe('The id of the execution at this hub, brun_…')

/** An execution's id at the hub: tenant, robot and execution in one word that gives none of them away. */
export function runIdOf(input: Pick<AgentInput, 'tenantId' | 'robotId' | 'executionId'>): string {
  const identity = JSON.stringify([input.tenantId, input.robotId, input.executionId])
  return `brun_${hash('sha256', identity).slice(0, 32)}`
}

/** An execution, as the audit log names it. */
export function runTarget(run_id: string) {
  return { kind: 'boundary_run', id: run_id }
}

/** Tells two submissions of one execution apart, whatever order their keys and lineage come in. */
export function payloadHash(engine: string, rerun_of: string | null, input: AgentInput): string {
  return hash('sha256', JSON.stringify([engine, rerun_of, comparableInput(input)]))
}

/** What was decided before the engine was called. Nothing that an engine answers reaches it. */
export const ExecutionFacts = z.strictObject({
  workflow_version: z.string(),
  agent_version: z.string(),
  output_schema_version: z.string(),
  run_mode: z.enum(RUN_MODES),
  snapshot_at: z.string(),
  coherence_status: z.enum(COHERENCE_STATUSES),
  objective: z.strictObject({ type: z.enum(OBJECTIVE_TYPES), action: z.enum(OBJECTIVE_ACTIONS) }),
  allowed_lineage: z.array(z.string()),
  allowed_artifact_types: z.array(z.enum(ARTIFACT_TYPES)),
  rerun_of_execution_id: z.string().nullable(),
})
export type ExecutionFacts = z.infer<typeof ExecutionFacts>

/** How an execution ended. */
export const ExecutionOutcome = z.strictObject({
  status: z.enum([...OUTPUT_STATUSES, 'cancelled']),
  error: z
    .strictObject({ code: z.enum(EXECUTION_ERROR_CODES), message: z.string(), retryable: z.boolean() })
    .nullable(),
  violations: z.array(z.strictObject({ path: z.string(), message: z.string() })),
  cancel_reason: z.string().nullable(),
  artifact_ledger_ids: z.array(z.string()),
  event_ledger_id: z.string().nullable(),
  dead_letter_id: z.string().nullable(),
  /** The engine's own words. They may hold what it was given, so they are shown here and nowhere else. */
  reported: z
    .strictObject({
      message: z.string().nullable(),
      diagnostics: z.record(z.string(), z.unknown()).nullable(),
    })
    .nullable(),
  duration_ms: z.int().nullable(),
  finished_at: z.string(),
})
export type ExecutionOutcome = z.infer<typeof ExecutionOutcome>

/** How far an engine says it has come. */
export const ExecutionProgress = z.strictObject({
  share: z.number().min(0).max(1),
  note: z.string().nullable(),
  at: z.string(),
})
export type ExecutionProgress = z.infer<typeof ExecutionProgress>

const summary = {
  run_id: z.string(),
  tenant_id: z.string(),
  robot_id: z.string(),
  execution_id: z.string(),
  attempt: z.int(),
  engine: z.string(),
  state: z.enum(EXECUTION_STATES),
  submitted_at: z.string(),
  updated_at: z.string(),
}

/** An execution in a list. */
export const ExecutionSummary = z
  .strictObject({
    ...summary,
    run_mode: z.enum(RUN_MODES),
    objective_type: z.enum(OBJECTIVE_TYPES),
    error_code: z.enum(EXECUTION_ERROR_CODES).nullable(),
  })
  .meta({ id: 'BoundaryExecutionSummary' })

/** An execution with all that the hub keeps of it. */
export const Execution = z
  .strictObject({
    ...summary,
    ...ExecutionFacts.shape,
    progress: ExecutionProgress.nullable(),
    outcome: ExecutionOutcome.nullable(),
  })
  .meta({ id: 'BoundaryExecution' })
export type Execution = z.infer<typeof Execution>

/** What an input decides, without the data it carries. */
export function factsOf(input: AgentInput, rerun_of: string | null): ExecutionFacts {
  return {
    workflow_version: input.workflowVersion,
    agent_version: input.agentVersion,
    output_schema_version: input.outputSchemaVersion,
    run_mode: input.runMode,
    snapshot_at: input.snapshotAt,
    coherence_status: input.coherenceStatus,
    objective: { type: input.objective.type, action: input.objective.action },
    allowed_lineage: [...input.allowedLineage.dependsOnLedgerIds],
    allowed_artifact_types: [...input.allowedArtifactTypes],
    rerun_of_execution_id: rerun_of,
  }
}
