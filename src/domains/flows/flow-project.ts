import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import type { FlowBundle } from './bundle/flow-record.ts'
import { flowErrors } from './flow-errors.ts'
import { FlowId, HarnessName, VersionChoice } from './flow-schemas.ts'
import { findLatestVersion } from './flow-store.ts'
import { projectionEnvelope } from './projection/envelope.ts'
import { isProjectable, renderProjection } from './projection/render-projection.ts'
import { requireFlowDocument } from './require-flow.ts'
import { requireVisibleScopes } from './visibility.ts'

export const flowProject = defineOperation({
  name: 'flow_project',
  summary: 'Render one version of a flow for a harness, as a read-only artifact.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/projection',
  mcp: true,
  cli: 'flow project <flow_id>',
  errors: flowErrors.pick('unknown_flow', 'FLOW_HARNESS_UNSUPPORTED', 'FLOW_SCOPE_AMBIGUOUS'),
  target: (input) => ({ kind: 'flow', id: input.flow_id }),
  input: z.strictObject({
    flow_id: FlowId,
    harness: HarnessName.describe('What the flow is rendered for'),
    version: VersionChoice,
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.flow_project/v0'),
    vault_id: z.string(),
    projection: z.strictObject({
      schema: z.literal('knowtation.flow_projection/v0'),
      flow_id: FlowId,
      flow_version: z.string(),
      harness: HarnessName,
      rendered: z.string(),
      generated_from_canonical: z.literal(true),
      editable: z.literal(false),
      fidelity: z.strictObject({ dropped_fields: z.array(z.string()), notes: z.string().nullable() }),
    }),
    staleness: z.strictObject({
      stale: z.boolean(),
      projection_version: z.string(),
      latest_version: z.string(),
    }),
    generator: z.strictObject({
      generator_version: z.string(),
      content_hash: z.string(),
      generated_at: z.string(),
    }),
  }),
  async handle(context) {
    const { input, vault_id, db, now, refuse } = context
    const { harness } = input
    if (!isProjectable(harness)) return refuse('FLOW_HARNESS_UNSUPPORTED')
    const { flow, steps } = JSON.parse(await requireFlowDocument(context, 'bundle')) as FlowBundle
    const latest = await findLatestVersion(db, vault_id, input.flow_id, requireVisibleScopes(context))
    return projectionEnvelope({
      vault_id,
      projection: renderProjection({ flow, steps, harness }),
      latest_version: latest ?? flow.version,
      generated_at: now.toISOString(),
    })
  },
})
