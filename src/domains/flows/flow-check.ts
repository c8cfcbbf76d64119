import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { findBundleFault } from './bundle/check-bundle.ts'
import { canonicalBundle, type FlowBundleDraft } from './bundle/flow-record.ts'
import { flowStateId } from './bundle/state-id.ts'
import { flowErrors } from './flow-errors.ts'
import { FlowId } from './flow-schemas.ts'
import { FlowStepWire, FlowWire } from './flow-wire.ts'

export const flowCheck = defineOperation({
  name: 'flow_check',
  summary: 'Check a draft bundle and show it in its canonical form. Nothing is stored.',
  description:
    'Check a draft bundle and show it in its canonical form. Nothing is stored. A bundle is {flow, steps} in the form that flow_export gives: begin with one of those. FLOW_DRAFT_INVALID names the first field that is wrong. The state_id of an exported version is what flow_propose_edit takes as base_state_id.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'POST /api/v1/flows/check',
  mcp: true,
  cli: 'flow check <bundle>',
  errors: flowErrors.pick('FLOW_DRAFT_INVALID'),
  input: z.strictObject({ bundle: z.looseObject({}).describe('The bundle {flow, steps}') }),
  output: z.strictObject({
    schema: z.literal('knowtation.flow_check/v0'),
    flow_id: FlowId,
    state_id: z.string(),
    flow: FlowWire,
    steps: z.array(FlowStepWire),
  }),
  async handle({ input, refuse }) {
    const fault = findBundleFault(input.bundle)
    if (fault) refuse('FLOW_DRAFT_INVALID', fault)
    const { flow, steps } = canonicalBundle(input.bundle as unknown as FlowBundleDraft)
    return {
      schema: 'knowtation.flow_check/v0',
      flow_id: flow.flow_id,
      state_id: flowStateId(flow, steps),
      flow,
      steps,
    }
  },
})
