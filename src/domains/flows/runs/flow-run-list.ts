import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { FIRST_PLACE, findPlace, renderPlace } from '../page-cursor.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { FlowRun, toFlowRun } from './run-record.ts'
import { listRuns } from './run-store.ts'

const MAX_FLOW_RUNS_LIST = 200
const LIST_DEFAULT = 50

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
    limit: z
      .int()
      .min(1)
      .max(MAX_FLOW_RUNS_LIST)
      .optional()
      .describe(`At most so many; ${LIST_DEFAULT} when left out`),
    cursor: z.string().max(256).optional().describe('next_cursor of the page before'),
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.flow_run_list/v0'),
    vault_id: z.string(),
    runs: z.array(FlowRun),
    next_cursor: z.string().nullable(),
  }),
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { flow_id, limit = LIST_DEFAULT, cursor } = input
    const place = cursor === undefined ? FIRST_PLACE : findPlace(cursor)
    if (!place) return refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const after = { started: place.at, run_id: place.id }
    const scopes = requireVisibleScopes(context)
    const found = await listRuns(db, { vault_id, flow_id, scopes, after, limit: limit + 1 })
    const runs = found.slice(0, limit).map(toFlowRun)
    const last = found.length > limit ? runs.at(-1) : undefined
    const next_cursor = last ? renderPlace({ at: last.started, id: last.run_id }) : null
    return { schema: 'knowtation.flow_run_list/v0', vault_id, runs, next_cursor }
  },
})
