import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { limitInput } from '../../../operations/page-cursor.ts'
import { Labels, labelled, ownersLabels } from '../../../operations/present/labels.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { Grant, grantedPins, MintedPins } from './grant-record.ts'
import { listGrants } from './grant-store.ts'

const LIST_LIMIT = 1_000

export const GrantListOutput = z.strictObject({
  schema: z.literal('knowtation.flow_external_grant_list/v0'),
  vault_id: z.string(),
  grants: z.array(Grant),
  pins: z
    .record(z.string(), MintedPins)
    .optional()
    .describe(
      'Against which reviewed definitions of their tools the grants were minted, by the ids of the grants',
    ),
  labels: Labels.optional(),
})

export const grantList = defineOperation({
  name: 'flow_external_grant_list',
  summary: 'List the newest grants of this vault that the caller may see, revoked ones included.',
  effect: 'read',
  authority: vaultMember('read'),
  whileLocked: true,
  gate: {
    flag: 'FLOW_EXTERNAL_AGENT_ENABLED',
    whenOff: 'FLOW_EXTERNAL_AGENT_DISABLED',
    whenForbidden: 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
  },
  rest: 'GET /api/v1/flows/external-grants',
  mcp: true,
  cli: 'flow grant list',
  errors: flowErrors.pick(
    'FLOW_EXTERNAL_AGENT_DISABLED',
    'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
    'FLOW_SCOPE_AMBIGUOUS',
  ),
  input: z.strictObject({
    flow_id: FlowId.optional().describe('Only grants of this flow'),
    limit: limitInput(LIST_LIMIT, LIST_LIMIT),
  }),
  output: GrantListOutput,
  present: async () => (await import('./present-grants.ts')).presentGrantList,
  async handle(context) {
    const { input, vault_id, db } = context
    const scopes = requireVisibleScopes(context)
    const { flow_id, limit = LIST_LIMIT } = input
    const grants = await listGrants(db, { vault_id, flow_id, scopes, limit })
    const pinned = grants.filter((grant) => Object.keys(grantedPins(grant)).length > 0)
    const pins = Object.fromEntries(pinned.map((grant) => [grant.grant_id, grantedPins(grant)]))
    const ids = grants.map(({ grant_id }) => grant_id)
    const labels = await ownersLabels(context, ids)
    return {
      schema: 'knowtation.flow_external_grant_list/v0' as const,
      vault_id,
      grants,
      ...(pinned.length > 0 && { pins }),
      ...labelled(labels),
    }
  },
})
