import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { explainTools } from './explain-tools.ts'
import { GRANT_ID } from './grant-record.ts'
import { findGrant } from './grant-store.ts'

export const grantTools = defineOperation({
  name: 'flow_external_grant_tools',
  summary: 'Tell which tools the holder of a grant is shown now, and what takes the others away.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/flows/external-grants/{grant_id}/tools',
  cli: 'flow grant tools <grant_id>',
  errors: flowErrors.pick('unknown_grant'),
  target: ({ grant_id }) => ({ kind: 'grant', id: grant_id }),
  input: z.strictObject({ grant_id: z.string().regex(GRANT_ID).describe('The id of the grant') }),
  output: z.strictObject({
    schema: z.literal('knowtation.flow_external_grant_tools/v0'),
    vault_id: z.string(),
    grant_id: z.string(),
    tools: z.array(z.string()),
    filters: z.array(
      z.strictObject({ filter: z.string(), before: z.int(), after: z.int(), detail: z.string() }),
    ),
  }),
  async handle({ input: { grant_id }, vault_id, db, hub, refuse }) {
    if (!(await findGrant(db, vault_id, grant_id))) return refuse('unknown_grant')
    const { tools, filters } = await explainTools(hub, vault_id, grant_id)
    return {
      schema: 'knowtation.flow_external_grant_tools/v0' as const,
      vault_id,
      grant_id,
      tools: [...tools],
      filters: [...filters],
    }
  },
})
