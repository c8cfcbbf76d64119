import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation, StoredJson } from '../../operations/define-operation.ts'
import { flowErrors } from './flow-errors.ts'
import { FlowId, VersionChoice } from './flow-schemas.ts'
import { FlowStepWire, FlowWire } from './flow-wire.ts'
import { requireFlowDocument } from './require-flow.ts'

const FlowExportOutput = z.strictObject({ flow: FlowWire, steps: z.array(FlowStepWire) })

export const flowExport = defineOperation({
  name: 'flow_export',
  summary: 'Export one version of a flow as a bundle that another vault can import.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/export',
  mcp: true,
  cli: 'flow export <flow_id>',
  errors: flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS'),
  target: (input) => ({ kind: 'flow', id: input.flow_id }),
  input: z.strictObject({ flow_id: FlowId, version: VersionChoice }),
  output: FlowExportOutput,
  async handle(context) {
    return new StoredJson(await requireFlowDocument(context, 'bundle'))
  },
})
