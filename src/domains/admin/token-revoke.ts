import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { revokeToken } from '../../platform/identity/token-store.ts'
import { adminErrors } from './admin-errors.ts'
import { Token, TokenId } from './token-schemas.ts'

export const tokenRevoke = defineOperation({
  name: 'token_revoke',
  summary: 'Revoke a local token. It counts from the next call, everywhere.',
  effect: 'delete',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'DELETE /api/v1/tokens/{token_id}',
  cli: 'token revoke <token_id>',
  errors: adminErrors.pick('unknown_token'),
  target: (input) => ({ kind: 'token', id: input.token_id }),
  input: z.strictObject({ token_id: TokenId.describe('The id of the token, as the list shows it') }),
  output: z.strictObject({ schema: z.literal('knowtation.token/v0'), token: Token }),
  async handle({ input, vault_id, db, now, refuse }) {
    const token = await revokeToken(db, vault_id, input.token_id, now)
    return token ? { schema: 'knowtation.token/v0', token } : refuse('unknown_token')
  },
})
