import { z } from 'zod'
import { agentInputSchema } from '../../../boundary/index.ts'
import { vaultMember } from '../../../operations/authority.ts'
import { ActOutside, type Context, defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { ExecutionAnswer, WaitSeconds } from './execution-answer.ts'
import { type Execution, runIdOf, runTarget } from './execution-record.ts'
import { runnerOf } from './execution-runner.ts'
import { toExecution } from './execution-store.ts'
import { submitExecution } from './submit-execution.ts'
import { waitForEnd } from './wait-for-end.ts'

const { $schema: _dialect, ...schema } = agentInputSchema

/**
 * An input as operations take it. The contract's own check reads it, so that every violation is told at
 * once and by the contract's code; callers still see the whole schema.
 */
const AgentInputDocument = z
  .unknown()
  .meta({ ...schema, description: 'The AgentInput: all that the engine will get' })

const input = z.strictObject({
  engine: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/)
    .describe("The engine's name in the vault policy"),
  input: AgentInputDocument,
  rerun_of_execution_id: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('The execution that this one runs anew'),
  wait_seconds: WaitSeconds,
})

const errors = boundaryErrors.pick(
  'VALIDATION_ERROR',
  'MISSING_LINEAGE',
  'IDEMPOTENCY_CONFLICT',
  'unknown_engine',
  'unknown_execution',
)

/** A submission on its way through the pipeline. */
export type Submitting = Context<z.output<typeof input>, keyof typeof errors, 'create'>

export const boundaryRun = defineOperation({
  name: 'boundary_run',
  summary:
    'Give an execution to an engine. Submitting the same again changes nothing and tells how it stands.',
  effect: 'create',
  idempotent: true,
  authority: vaultMember('write'),
  rest: 'POST /api/v1/boundary/executions',
  mcp: true,
  cli: 'boundary run',
  errors,
  target: ({ input: given }) => findTarget(given),
  input,
  output: ExecutionAnswer,
  present: async () => (await import('./present-executions.ts')).presentExecution,
  async handle(context) {
    const { vault_id, hub, input: asked } = context
    const found = await submitExecution(context)
    return new ActOutside(async (signal) => {
      if ('former' in found) return answer(vault_id, true, found.former)
      const { row, job } = found
      if (job) runnerOf(hub).start(job)
      else await runnerOf(hub).take({ vault_id, run_id: row.run_id })
      const latest = await waitForEnd(hub, row, asked.wait_seconds ?? 0, signal)
      return answer(vault_id, found.idempotent, toExecution(latest))
    })
  },
})

function answer(vault_id: string, idempotent: boolean, execution: Execution) {
  return { schema: 'knowtation.boundary_execution/v0' as const, vault_id, idempotent, execution }
}

/** Only an input that names its execution can be told by it. */
function findTarget(given: unknown) {
  const { tenantId, robotId, executionId } = Object(given) as Partial<Record<string, unknown>>
  if (typeof tenantId !== 'string' || typeof robotId !== 'string' || typeof executionId !== 'string')
    return undefined
  return runTarget(runIdOf({ tenantId, robotId, executionId }))
}
