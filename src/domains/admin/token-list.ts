import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { cutPage, findPlace, pageInputs } from '../../operations/page-cursor.ts'
import { ownersLabels } from '../../operations/present/labels.ts'
import { listTokens } from '../../platform/identity/token-store.ts'
import { Token } from './token-schemas.ts'

const LIST_LIMIT = 200

export const TokenListOutput = z.strictObject({
  schema: z.literal('knowtation.token_list/v0'),
  vault_id: z.string(),
  tokens: z.array(Token),
  truncated: z.boolean(),
  next_cursor: z.string().nullable(),
})

export const tokenList = defineOperation({
  name: 'token_list',
  summary: 'List the local tokens of this vault, newest first.',
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/tokens',
  cli: 'token list',
  errors: {},
  input: z.strictObject(pageInputs(LIST_LIMIT, LIST_LIMIT)),
  output: TokenListOutput,
  present: async () => (await import('./present-tokens.ts')).presentTokenList,
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { limit = LIST_LIMIT } = input
    const after = findPlace(input.cursor) ?? refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const found = await listTokens(db, { vault_id, after, limit: limit + 1 })
    const { items, next_cursor } = cutPage(found, limit, placeOf)
    const ids = items.map(({ token_id }) => token_id)
    const labels = await ownersLabels(context, ids)
    return {
      schema: 'knowtation.token_list/v0',
      vault_id,
      tokens: items.map((token) => ({ ...token, label: labels[token.token_id] ?? token.label })),
      truncated: next_cursor !== null,
      next_cursor,
    }
  },
})

function placeOf({ created_at, token_id }: z.infer<typeof Token>) {
  return { at: created_at, id: token_id }
}
