import { z } from 'zod'
import { ROLES } from '../../platform/identity/caller.ts'

export const TokenId = z.string().regex(/^tok_[0-9a-f]{16}$/)

/** A local token as it may be shown: no secret and no hash. */
export const Token = z.strictObject({
  token_id: TokenId,
  vault_id: z.string(),
  role: z.enum(ROLES),
  label: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
})
