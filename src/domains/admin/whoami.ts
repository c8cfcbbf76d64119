import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { CALLER_KINDS, ROLES } from '../../platform/identity/caller.ts'
import { SCOPES } from '../../platform/policy/scopes.ts'
import { findVisibleScopes } from '../../platform/policy/visible-scopes.ts'

export const WhoamiOutput = z.strictObject({
  schema: z.literal('knowtation.whoami/v0'),
  caller_kind: z.enum(CALLER_KINDS),
  caller_id: z.string(),
  role: z.enum(ROLES),
  vault_id: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  policy_revision: z.string(),
})

export const whoami = defineOperation({
  name: 'whoami',
  summary: 'Tell who the caller is, in which vault, with which role and scopes.',
  effect: 'read',
  authority: vaultMember('read'),
  whileLocked: true,
  rest: 'GET /api/v1/whoami',
  mcp: true,
  cli: 'whoami',
  errors: {},
  input: z.strictObject({}),
  output: WhoamiOutput,
  present: async () => (await import('./present-hub.ts')).presentWhoami,
  async handle({ caller, vault_id, rules }) {
    return {
      schema: 'knowtation.whoami/v0',
      caller_kind: caller.kind,
      caller_id: caller.id,
      role: caller.role,
      vault_id,
      scopes: [...(findVisibleScopes(caller, rules) ?? [])],
      policy_revision: rules.revision,
    }
  },
})
