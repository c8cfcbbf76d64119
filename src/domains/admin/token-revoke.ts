import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { findMadeBy, revokeToken } from '../../platform/identity/token-store.ts'
import { adminErrors } from './admin-errors.ts'
import { Token, TokenId } from './token-schemas.ts'

export const tokenRevoke = defineOperation({
  name: 'token_revoke',
  summary:
    'Revoke a local token, and with it those that it made if you say so. It counts from the next call.',
  effect: 'delete',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'DELETE /api/v1/tokens/{token_id}',
  cli: 'token revoke <token_id>',
  errors: adminErrors.pick('unknown_token'),
  target: (input) => ({ kind: 'token', id: input.token_id }),
  input: z.strictObject({
    token_id: TokenId.describe('The id of the token, as the list shows it'),
    with_made: z
      .boolean()
      .optional()
      .describe('Revoke the tokens that it made, too, and those that they made'),
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.token/v0'),
    token: Token,
    made: z.array(Token).describe('The tokens that came from it and counted until now'),
    made_revoked: z.boolean(),
  }),
  async handle({ input: { token_id, with_made = false }, vault_id, db, now, note, refuse }) {
    const token = await revokeToken(db, vault_id, token_id, now)
    if (!token) return refuse('unknown_token')
    const made = await findMadeBy(db, token, now)
    if (with_made)
      for (const one of made) {
        await revokeToken(db, vault_id, one.token_id, now)
        note('token_revoke', { kind: 'token', id: one.token_id })
      }
    return { schema: 'knowtation.token/v0' as const, token, made, made_revoked: with_made }
  },
})
