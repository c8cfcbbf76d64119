import { z } from 'zod'
import { ownerSurface } from '../../../../operations/authority.ts'
import { ActOutside } from '../../../../operations/define-operation.ts'
import { defineSurfaceOperation } from '../../../../operations/define-surface-operation.ts'
import type { Hub } from '../../../../operations/hub.ts'
import { readPolicy } from '../../../../operations/policy/change-policy.ts'
import { policyChangeErrors } from '../../../../operations/policy/policy-change-errors.ts'
import type { VaultRules } from '../../../../platform/policy/policies.ts'
import { VaultPolicy } from '../../../../platform/policy/vault-policy.ts'
import { openPolicyDocument, PROVIDERS } from '../../../../platform/policy-edits/policy-document.ts'
import {
  findPolicyFaults,
  lineOfPath,
  type PolicyFault,
} from '../../../../platform/policy-edits/policy-faults.ts'
import {
  faultsOfFile,
  revisionOfFile,
  revisionOfText,
} from '../../../../platform/policy-edits/revision-name.ts'
import { probeProvider } from '../../providers/probe-provider.ts'
import { ensureStarterFlows } from '../../starter-flows.ts'
import { FaultShape } from '../policy-view.ts'
import { ComparisonShape, comparePolicies } from './compare-policies.ts'
import { toolsOfFlows } from './declared-by-flows.ts'
import { findOddities, type Oddity, OddityShape } from './find-oddities.ts'

export const CheckOutput = z.strictObject({
  object: z.literal('policy_check'),
  path: z.string(),
  revision: z.string().describe('Of what was checked'),
  proposed: z.boolean().describe('Whether it was another text than the file'),
  errors: z.array(FaultShape).describe('What makes it damaged: then nothing in it counts'),
  oddities: z.array(OddityShape),
  comparison: ComparisonShape.nullable(),
})

/** Answers without asking what the hub may not do: it lists tools of servers and asks services for their options. */
export const policyCheck = defineSurfaceOperation({
  name: 'owner_policy_check',
  summary:
    'Check the policy, or another text for it: errors by line, what can never match, providers that do not answer.',
  description:
    'Checks the policy of the vault, or another text for it: errors by line, what can never match, what no flow declares, providers that do not answer, schemas that accept anything. Of another text it also says which live grants and which calls on record it would decide differently. Arguments are not on record.',
  effect: 'update',
  outward: true,
  openWorld: true,
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/policy/check',
  cli: 'policy check',
  errors: policyChangeErrors.pick('policy_damaged'),
  input: z.strictObject({
    proposed: z
      .string()
      .max(1_048_576)
      .optional()
      .describe('Another text for the policy, to check against what is on record'),
    offline: z.boolean().default(false).describe('Ask no provider'),
  }),
  output: CheckOutput,
  present: async () => (await import('../present-check.ts')).presentCheck,
  async handle({ input: { proposed, offline }, hub, vault_id, db }) {
    const file = await readPolicy(hub, vault_id)
    await ensureStarterFlows(hub, vault_id)
    const text = proposed ?? file.text ?? ''
    const errors: PolicyFault[] = proposed === undefined ? faultsOfFile(file) : findPolicyFaults(text)
    const revision = proposed === undefined ? revisionOfFile(file) : revisionOfText(text)
    const policy = policyIn(text, errors)
    const declared = await toolsOfFlows(db, vault_id)
    const oddities = errors.length > 0 ? [] : findOddities(text, policy, declared)
    const rules = otherRules(hub.rulesOf(vault_id), policy, { revision, errors })
    const comparison = proposed === undefined ? null : await comparePolicies(hub, vault_id, rules)
    const checked = {
      path: hub.home.vaultPolicy(vault_id),
      revision,
      proposed: proposed !== undefined,
      errors,
    }
    return new ActOutside(async (signal) => {
      const silent = offline ? [] : await silentProviders(hub, text, policy, signal)
      const all = [...oddities, ...silent].toSorted((one, other) => one.line - other.line)
      return { object: 'policy_check' as const, ...checked, oddities: all, comparison }
    })
  },
})

function policyIn(text: string, errors: readonly unknown[]): VaultPolicy {
  return errors.length > 0 ? {} : VaultPolicy.parse(openPolicyDocument(text).get([]))
}

/** The rules of the vault with another policy in them; a damaged one closes everything. */
function otherRules(
  { members }: VaultRules,
  value: VaultPolicy,
  { revision, errors }: { revision: string; errors: readonly PolicyFault[] },
): VaultRules {
  const damaged = errors[0] && `line ${errors[0].line}: ${errors[0].message}`
  return { policy: { value, revision, damaged }, members, revision }
}

async function silentProviders(
  hub: Hub,
  text: string,
  { external_agent }: VaultPolicy,
  signal: AbortSignal,
): Promise<Oddity[]> {
  const named = Object.entries(external_agent?.providers ?? {})
  const probes = await Promise.all(named.map(([, provider]) => probeProvider(hub, provider, signal)))
  return named.flatMap(([name], at): Oddity[] => {
    const { answers, says = '' } = probes[at] ?? {}
    if (answers !== false) return []
    const path = [...PROVIDERS, name]
    const line = lineOfPath(text, path)
    return [{ kind: 'provider_silent', line, at: path.join('.'), message: `${name}: ${says}` }]
  })
}
