import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { declaredTools } from '../allowlist.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { MAX_FLOW_SUMMARIES } from '../bundle/limits.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { listFlowSummaries } from '../flow-summaries.ts'
import { requireFlowDocument } from '../require-flow.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'

export const flowToolList = defineOperation({
  name: 'flow_tool_list',
  summary: 'List which tools outside the hub the latest version of each flow names.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/tools',
  cli: 'flow tools',
  errors: flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS'),
  input: z.strictObject({}),
  output: z.strictObject({
    schema: z.literal('knowtation.flow_tool_list/v0'),
    vault_id: z.string(),
    flows: z.array(z.strictObject({ flow_id: FlowId, version: z.string(), tools: z.array(z.string()) })),
    truncated: z.boolean(),
  }),
  async handle(context) {
    const { vault_id, hub, db } = context
    const visible = requireVisibleScopes(context)
    await ensureStarterFlows(hub, vault_id)
    const wanted = { vault_id, listed: visible, visible, tag: undefined, limit: MAX_FLOW_SUMMARIES + 1 }
    const found = await listFlowSummaries(db, wanted)
    const flows = await Promise.all(
      found.slice(0, MAX_FLOW_SUMMARIES).map((summary) => toolsOf(context, JSON.parse(summary))),
    )
    const truncated = found.length > MAX_FLOW_SUMMARIES
    return { schema: 'knowtation.flow_tool_list/v0' as const, vault_id, flows, truncated }
  },
})

async function toolsOf(
  context: Context<unknown, 'unknown_flow' | 'FLOW_SCOPE_AMBIGUOUS', 'read'>,
  { flow_id, version }: { flow_id: string; version: string },
) {
  const document = await requireFlowDocument({ ...context, input: { flow_id, version } }, 'bundle')
  return { flow_id, version, tools: declaredTools((JSON.parse(document) as FlowBundle).steps) }
}
