import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, pageInputs } from '../../../operations/page-cursor.ts'
import { ExecutionSummary } from './execution-record.ts'
import { type ExecutionRow, listExecutions, toExecution } from './execution-store.ts'

const LIST_LIMIT = 200
const LIST_DEFAULT = 50

export const BoundaryListOutput = z.strictObject({
  schema: z.literal('knowtation.boundary_list/v0'),
  vault_id: z.string(),
  executions: z.array(ExecutionSummary),
  next_cursor: z.string().nullable(),
})

export const boundaryList = defineOperation({
  name: 'boundary_list',
  summary: 'List the executions of this vault, newest first.',
  effect: 'read',
  authority: vaultMember('read'),
  whileLocked: true,
  rest: 'GET /api/v1/boundary/executions',
  mcp: true,
  cli: 'boundary list',
  errors: {},
  input: z.strictObject(pageInputs(LIST_LIMIT, LIST_DEFAULT)),
  output: BoundaryListOutput,
  present: async () => (await import('./present-executions.ts')).presentExecutionList,
  async handle({ input, vault_id, db, refuse }) {
    const { limit = LIST_DEFAULT } = input
    const after = findPlace(input.cursor) ?? refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const found = await listExecutions(db, { vault_id, after, limit: limit + 1 })
    const { items, next_cursor } = cutPage(found, limit, placeOf)
    const executions = items.map(toSummary)
    return { schema: 'knowtation.boundary_list/v0', vault_id, executions, next_cursor }
  },
})

function placeOf({ submitted_at, run_id }: ExecutionRow) {
  return { at: submitted_at, id: run_id }
}

function toSummary(row: ExecutionRow): z.infer<typeof ExecutionSummary> {
  const { run_mode, objective, outcome, ...execution } = toExecution(row)
  return {
    run_id: execution.run_id,
    tenant_id: execution.tenant_id,
    robot_id: execution.robot_id,
    execution_id: execution.execution_id,
    attempt: execution.attempt,
    engine: execution.engine,
    state: execution.state,
    submitted_at: execution.submitted_at,
    updated_at: execution.updated_at,
    run_mode,
    objective_type: objective.type,
    error_code: outcome?.error?.code ?? null,
  }
}
