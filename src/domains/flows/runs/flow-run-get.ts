import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { requireRun } from './require-run.ts'
import { RunAnswer, runShape, runTarget } from './run-operation-parts.ts'
import { toFlowRun } from './run-record.ts'

export const flowRunGet = defineOperation({
  name: 'flow_run_get',
  summary: 'Read how far a run has come.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/runs/{run_id}',
  mcp: true,
  cli: 'flow run get <flow_id> <run_id>',
  errors: flowErrors.pick('unknown_run', 'FLOW_SCOPE_AMBIGUOUS'),
  target: runTarget,
  input: z.strictObject(runShape),
  output: RunAnswer,
  present: async () => (await import('./present-flow-runs.ts')).presentRun,
  async handle(context) {
    const run = toFlowRun(await requireRun(context))
    return { schema: 'knowtation.flow_run_get/v0', vault_id: context.vault_id, run }
  },
})
