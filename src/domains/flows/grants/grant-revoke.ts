import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { hasWriteAuthority } from '../write-authority.ts'
import { GRANT_ID, Grant } from './grant-record.ts'
import { findGrant, revokeGrant } from './grant-store.ts'

export const grantRevoke = defineOperation({
  name: 'flow_external_grant_revoke',
  summary: 'Revoke a grant for good. It counts from the next call, everywhere, whatever the gates say.',
  effect: 'delete',
  authority: vaultMember('read'),
  whileLocked: true,
  rest: 'DELETE /api/v1/flows/external-grants/{grant_id}',
  mcp: true,
  cli: 'flow grant revoke <grant_id>',
  errors: flowErrors.pick('unknown_grant', 'FLOW_EXTERNAL_GRANT_DENIED', 'FLOW_SCOPE_AMBIGUOUS'),
  // Whatever is not a grant's id, a bearer above all, stays out of the audit log.
  target: ({ grant_id }) => (GRANT_ID.test(grant_id) ? { kind: 'grant', id: grant_id } : undefined),
  input: z.strictObject({ grant_id: z.string().min(1).max(256).describe('The id of the grant') }),
  output: Grant,
  present: async () => (await import('./present-grants.ts')).presentGrant,
  async handle(context) {
    const { input, vault_id, db, caller, now, refuse } = context
    const scopes = requireVisibleScopes(context)
    const found = GRANT_ID.test(input.grant_id) ? await findGrant(db, vault_id, input.grant_id) : undefined
    if (!found || !scopes.includes(found.scope)) return refuse('unknown_grant')
    if (!hasWriteAuthority(caller, found.scope)) refuse('FLOW_EXTERNAL_GRANT_DENIED')
    await revokeGrant(db, found, now)
    // Another call may have revoked it meanwhile: the first moment is the one to tell.
    return (await findGrant(db, vault_id, found.grant_id)) ?? refuse('unknown_grant')
  },
})
