import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineSurfaceOperation } from '../../../operations/define-surface-operation.ts'
import { readPolicy } from '../../../operations/policy/change-policy.ts'
import { policyChangeErrors } from '../../../operations/policy/policy-change-errors.ts'
import { placeOf } from '../../../platform/policy-edits/notice-edits.ts'
import { faultsOfFile, revisionOfFile } from '../../../platform/policy-edits/revision-name.ts'
import { findNewestRevision } from '../../../platform/policy-edits/revision-store.ts'
import { ProviderShape, showProviders } from '../providers/provider-view.ts'
import { RevisionShape, showRevision } from './policy-history.ts'
import { FaultShape, GateShape, showGates, showTools, ToolShape, writtenTools } from './policy-view.ts'

const limit = z.int().nullable()

export const PolicyOutput = z.strictObject({
  object: z.literal('policy'),
  path: z.string().describe('Where the policy lies'),
  vault_id: z.string(),
  exists: z.boolean(),
  revision: z.string().describe('As audit records name it, and as a change can ask for it'),
  digest: z.string(),
  damaged: z.boolean().describe('If so nothing that it could allow counts'),
  errors: z.array(FaultShape),
  text: z.string(),
  gates: z.array(GateShape),
  limits: z.strictObject({
    default_ttl_seconds: limit,
    max_ttl_seconds: limit,
    max_invocations: limit,
    max_live_grants: limit,
    calls_per_minute: limit,
    max_payload_bytes: limit,
    max_result_bytes: limit,
  }),
  providers: z.array(ProviderShape),
  tools: z.array(ToolShape),
  last_change: RevisionShape.nullable(),
})

export const policyShow = defineSurfaceOperation({
  name: 'owner_policy_show',
  summary: 'Show the policy of the vault: its file, its gates with what decides, providers and tools.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/policy',
  cli: 'policy show',
  errors: policyChangeErrors.pick('policy_damaged'),
  input: z.strictObject({}),
  output: PolicyOutput,
  present: async () => (await import('./present-policy.ts')).presentPolicy,
  async handle({ hub, vault_id, db }) {
    const file = await readPolicy(hub, vault_id)
    const { text = '' } = file
    const rules = hub.rulesOf(vault_id)
    const errors = faultsOfFile(file)
    const written = writtenTools(text)
    const last = await findNewestRevision(db, placeOf(hub), vault_id)
    return {
      object: 'policy' as const,
      path: hub.home.vaultPolicy(vault_id),
      vault_id,
      exists: file.text !== undefined,
      revision: revisionOfFile(file),
      digest: file.digest,
      damaged: errors.length > 0,
      errors,
      text,
      gates: showGates(hub, rules),
      limits: limitsOf(rules.policy.value.external_agent),
      providers: showProviders(rules, written),
      tools: showTools(rules, written),
      last_change: last ? showRevision(hub, last) : null,
    }
  },
})

type Limits = z.output<typeof PolicyOutput>['limits']

function limitsOf(policy: { readonly [Key in keyof Limits]?: number | undefined } = {}): Limits {
  return {
    default_ttl_seconds: policy.default_ttl_seconds ?? null,
    max_ttl_seconds: policy.max_ttl_seconds ?? null,
    max_invocations: policy.max_invocations ?? null,
    max_live_grants: policy.max_live_grants ?? null,
    calls_per_minute: policy.calls_per_minute ?? null,
    max_payload_bytes: policy.max_payload_bytes ?? null,
    max_result_bytes: policy.max_result_bytes ?? null,
  }
}
