import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, pageInputs } from '../../../operations/page-cursor.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { listRuns } from './flow-run-store.ts'
import { FlowRun, toFlowRun } from './run-record.ts'

const MAX_FLOW_RUNS_LIST = 200
const LIST_DEFAULT = 50

export const FlowRunListOutput = z.strictObject({
  schema: z.literal('knowtation.flow_run_list/v0'),
  vault_id: z.string(),
  runs: z.array(FlowRun),
  next_cursor: z.string().nullable(),
})

export const flowRunList = defineOperation({
  name: 'flow_run_list',
  summary: 'List the runs of a flow that the caller may see, newest first.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/runs',
  mcp: true,
  cli: 'flow run list <flow_id>',
  errors: flowErrors.pick('FLOW_SCOPE_AMBIGUOUS'),
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input: z.strictObject({
    flow_id: FlowId,
    ...pageInputs(MAX_FLOW_RUNS_LIST, LIST_DEFAULT),
  }),
  output: FlowRunListOutput,
  present: async () => (await import('./present-flow-runs.ts')).presentRunList,
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { flow_id, limit = LIST_DEFAULT, cursor } = input
    const after = findPlace(cursor) ?? refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const scopes = requireVisibleScopes(context)
    const found = await listRuns(db, { vault_id, flow_id, scopes, after, limit: limit + 1 })
    const { items, next_cursor } = cutPage(found, limit, ({ started, run_id }) => ({
      at: started,
      id: run_id,
    }))
    return { schema: 'knowtation.flow_run_list/v0', vault_id, runs: items.map(toFlowRun), next_cursor }
  },
})
