import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { listTokens } from '../../platform/identity/token-store.ts'
import { Token } from './token-schemas.ts'

const LIST_LIMIT = 200

export const tokenList = defineOperation({
  name: 'token_list',
  summary: 'List the local tokens of this vault, newest first.',
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/tokens',
  cli: 'token list',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({
    schema: z.literal('knowtation.token_list/v0'),
    vault_id: z.string(),
    tokens: z.array(Token),
    truncated: z.boolean(),
  }),
  async handle({ vault_id, db }) {
    const found = await listTokens(db, vault_id, LIST_LIMIT + 1)
    return {
      schema: 'knowtation.token_list/v0',
      vault_id,
      tokens: found.slice(0, LIST_LIMIT),
      truncated: found.length > LIST_LIMIT,
    }
  },
})
