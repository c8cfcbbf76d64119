import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { limitInput } from '../../../operations/page-cursor.ts'
import { sql } from '../../../platform/storage/database.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId, ScopeName } from '../flow-schemas.ts'
import { scopeValues } from '../flow-store.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'

const LIST_LIMIT = 200

const VersionRow = z.strictObject({
  version: z.string(),
  scope: ScopeName,
  /** What an edit names as the state that it builds on. */
  state_id: z.string(),
  created_at: z.string(),
})

export const FlowVersionListOutput = z.strictObject({
  schema: z.literal('knowtation.flow_version_list/v0'),
  vault_id: z.string(),
  flow_id: FlowId,
  versions: z.array(VersionRow),
  truncated: z.boolean(),
})

const versionsOf = sql<z.infer<typeof VersionRow>>(
  `SELECT version, scope, state_id, created_at FROM flow_versions
   WHERE vault_id = ? AND flow_id = ? AND scope IN (?, ?, ?) ORDER BY version_key DESC LIMIT ?`,
)

export const flowVersionList = defineOperation({
  name: 'flow_version_list',
  summary: 'List the versions of a flow that the caller may see, newest first, with the state id of each.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/versions',
  cli: 'flow versions <flow_id>',
  errors: flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS'),
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input: z.strictObject({ flow_id: FlowId, limit: limitInput(LIST_LIMIT, LIST_LIMIT) }),
  output: FlowVersionListOutput,
  present: async () => (await import('./present-versions.ts')).presentVersions,
  async handle(context) {
    const { input, vault_id, hub, db, refuse } = context
    const { flow_id, limit = LIST_LIMIT } = input
    const scopes = scopeValues(requireVisibleScopes(context))
    await ensureStarterFlows(hub, vault_id)
    const found = await db.all(versionsOf, vault_id, flow_id, ...scopes, limit + 1)
    if (found.length === 0) return refuse('unknown_flow')
    const versions = found.slice(0, limit)
    const truncated = found.length > limit
    return { schema: 'knowtation.flow_version_list/v0' as const, vault_id, flow_id, versions, truncated }
  },
})
