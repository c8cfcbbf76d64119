import { z } from 'zod'

const ExternalAgentPolicy = z.looseObject({
  enabled: z.boolean().optional(),
  forbidden: z.boolean().optional(),
  hosted_projection_enabled: z.boolean().optional(),
})

const AuthoringPolicy = z.strictObject({
  writes_enabled: z.boolean().optional(),
  forbidden: z.boolean().optional(),
})

/** `<home>/vaults/<vault_id>/policy.yaml`: what the owner allows in this vault. */
export const VaultPolicy = z.strictObject({
  external_agent: ExternalAgentPolicy.optional(),
  flow_authoring: AuthoringPolicy.optional(),
})
export type VaultPolicy = z.infer<typeof VaultPolicy>

/** What counts when there is no policy or a damaged one: everything off. */
export const CLOSED_POLICY: VaultPolicy = {}
