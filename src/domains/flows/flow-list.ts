import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation, StoredJson } from '../../operations/define-operation.ts'
import { limitInput } from '../../operations/page-cursor.ts'
import { FLOW_SCHEMA } from './bundle/bundle-vocabulary.ts'
import { MAX_FLOW_SUMMARIES } from './bundle/limits.ts'
import { flowErrors } from './flow-errors.ts'
import { FlowId, ScopeName } from './flow-schemas.ts'
import { listFlowSummaries } from './flow-summaries.ts'
import { ensureStarterFlows } from './starter-flows.ts'
import { requireVisibleScopes } from './visibility.ts'

const FlowSummary = z
  .strictObject({
    schema: z.literal(FLOW_SCHEMA),
    flow_id: FlowId,
    title: z.string(),
    version: z.string(),
    scope: ScopeName,
    summary: z.string(),
    tags: z.array(z.string()),
    step_count: z.int(),
    updated: z.string(),
    truncated: z.boolean(),
  })
  .meta({ id: 'FlowSummary' })

export const FlowListOutput = z.strictObject({
  schema: z.literal('knowtation.flow_list/v0'),
  vault_id: z.string(),
  effective_scope: ScopeName,
  flows: z.array(FlowSummary),
  truncated: z.boolean(),
})

export const flowList = defineOperation({
  name: 'flow_list',
  summary: 'List the latest version of each flow the caller may see, newest first.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows',
  mcp: true,
  cli: 'flow list',
  errors: flowErrors.pick('FLOW_SCOPE_AMBIGUOUS', 'FLOW_SCOPE_DENIED'),
  input: z.strictObject({
    scope: ScopeName.optional().describe('Only flows of this scope'),
    tag: z.string().min(1).max(64).optional().describe('Only flows with this tag'),
    limit: limitInput(MAX_FLOW_SUMMARIES, MAX_FLOW_SUMMARIES),
  }),
  output: FlowListOutput,
  present: async () => (await import('./present-flow-list.ts')).presentFlowList,
  async handle(context) {
    const { input, vault_id, hub, db, refuse } = context
    const visible = requireVisibleScopes(context)
    if (input.scope && !visible.includes(input.scope)) refuse('FLOW_SCOPE_DENIED')
    await ensureStarterFlows(hub, vault_id)
    const limit = input.limit ?? MAX_FLOW_SUMMARIES
    const listed = input.scope ? [input.scope] : visible
    const found = await listFlowSummaries(db, { vault_id, listed, visible, tag: input.tag, limit: limit + 1 })
    const scope = input.scope ?? visible.at(-1) ?? 'personal'
    const start = `{"schema":"knowtation.flow_list/v0","vault_id":"${vault_id}","effective_scope":"${scope}","flows":[`
    return new StoredJson(`${start}${found.slice(0, limit).join(',')}],"truncated":${found.length > limit}}`)
  },
})
