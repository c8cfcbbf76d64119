import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { RunAnswer, runShape, runTarget } from './run-operation-parts.ts'
import { StepId } from './run-record.ts'

export const flowRunExecute = defineOperation({
  name: 'flow_run_execute',
  summary:
    'Ask for an automatable step to be executed. Without a consent, which nothing issues yet, it never is.',
  effect: 'update',
  authority: vaultMember('write'),
  gate: {
    flag: 'FLOW_AUTOMATABLE_EXECUTION_ENABLED',
    whenOff: 'FLOW_AUTOMATABLE_EXECUTION_DISABLED',
    whenForbidden: 'FLOW_EXECUTION_POLICY_FORBIDDEN',
  },
  rest: 'POST /api/v1/flows/{flow_id}/runs/{run_id}/execute-automatable',
  mcp: true,
  cli: 'flow run execute <flow_id> <run_id>',
  errors: flowErrors.pick(
    'FLOW_AUTOMATABLE_EXECUTION_DISABLED',
    'FLOW_EXECUTION_POLICY_FORBIDDEN',
    'FLOW_EXECUTION_CONSENT_REQUIRED',
  ),
  target: runTarget,
  input: z.strictObject({
    ...runShape,
    step_id: StepId,
    lane: z.enum(['local_default', 'cloud_premium']).optional().describe('Where it would be executed'),
    consent_id: z
      .string()
      .regex(/^fcons_[a-z0-9_]{8,48}$/)
      .optional()
      .describe('The consent for this run'),
  }),
  output: RunAnswer,
  // A consent comes before any look at the run, and no consent exists: neither a made-up id nor the bearer
  // of a grant, which is for something else, stands in for one.
  async handle({ refuse }) {
    return refuse('FLOW_EXECUTION_CONSENT_REQUIRED')
  },
})
