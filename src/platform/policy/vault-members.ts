import { z } from 'zod'
import { SCOPES } from './scopes.ts'

const Override = z.union([
  z.strictObject({ scopes: z.array(z.enum(SCOPES)) }),
  z.strictObject({ ambiguous: z.literal(true) }),
])

/** `<home>/vaults/<vault_id>/members.yaml`: caller id → the scopes that replace those of its role. */
export const VaultMembers = z.strictObject({ scope_overrides: z.record(z.string(), Override).optional() })
export type VaultMembers = z.infer<typeof VaultMembers>

export const NO_MEMBERS: VaultMembers = {}
