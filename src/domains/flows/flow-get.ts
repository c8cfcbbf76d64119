import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { flowErrors } from './flow-errors.ts'
import { FlowId, VersionChoice } from './flow-schemas.ts'
import { FlowStepWire, FlowWire } from './flow-wire.ts'
import { keepAnswers } from './kept-answers.ts'
import { requireFlowDocument } from './require-flow.ts'

export const FlowGetOutput = z.strictObject({
  schema: z.literal('knowtation.flow_get/v0'),
  vault_id: z.string(),
  flow: FlowWire,
  steps: z.array(FlowStepWire),
})

export const flowGet = defineOperation({
  name: 'flow_get',
  summary: 'Read one version of a flow with its steps.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}',
  mcp: true,
  cli: 'flow get <flow_id>',
  errors: flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS'),
  target: (input) => ({ kind: 'flow', id: input.flow_id }),
  input: z.strictObject({ flow_id: FlowId, version: VersionChoice }),
  output: FlowGetOutput,
  present: async () => (await import('./present-flow.ts')).presentFlow,
  async handle(context) {
    const { vault_id } = context
    const fragment = await requireFlowDocument(context, 'get')
    const render = () => `{"schema":"knowtation.flow_get/v0","vault_id":"${vault_id}",${fragment}}`
    return answerAround(fragment, vault_id, render)
  },
})

const answerAround = keepAnswers()
