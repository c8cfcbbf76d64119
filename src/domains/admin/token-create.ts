import { z } from 'zod'
import { isOwner, vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { ROLES } from '../../platform/identity/caller.ts'
import { createToken } from '../../platform/identity/token-store.ts'
import { setLabel } from '../../platform/labels/label-store.ts'
import { Token } from './token-schemas.ts'

const MAX_TTL_SECONDS = 365 * 86_400

export const TokenCreateOutput = z.strictObject({
  schema: z.literal('knowtation.token_create/v0'),
  token: Token,
  bearer: z.string(),
})

export const tokenCreate = defineOperation({
  name: 'token_create',
  opens: true,
  summary: 'Create a local token for this vault. Its bearer is shown once.',
  effect: 'create',
  authority: vaultMember('admin'),
  rest: 'POST /api/v1/tokens',
  cli: 'token create',
  errors: {},
  made: ({ token }) => ({ kind: 'token', id: token.token_id }),
  input: z.strictObject({
    role: z.enum(ROLES).describe('What the token may do'),
    ttl_seconds: z
      .int()
      .positive()
      .max(MAX_TTL_SECONDS)
      .optional()
      .describe('Lifetime; without it the token does not expire'),
    label: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .refine((label) => !/[\p{Cc}\p{Cs}]/u.test(label), 'must be one line')
      .optional()
      .describe('A name to recognise it by'),
  }),
  output: TokenCreateOutput,
  present: async () => (await import('./present-tokens.ts')).presentNewToken,
  async handle({ input, caller, vault_id, db, hub, now }) {
    const expires =
      input.ttl_seconds === undefined
        ? null
        : new Date(now.getTime() + input.ttl_seconds * 1_000).toISOString()
    const made = await createToken(db, hub.system, {
      vault_id,
      role: input.role,
      label: input.label ?? null,
      created_by: `${caller.kind}:${caller.id}`,
      expires_at: expires,
    })
    // The names of others are shown in their list alone.
    if (input.label !== undefined && isOwner(caller))
      await setLabel(db, {
        subject_id: made.token.token_id,
        vault_id,
        label: input.label,
        named_at: now.toISOString(),
        named_by: made.token.created_by,
      })
    return { schema: 'knowtation.token_create/v0' as const, ...made }
  },
})
