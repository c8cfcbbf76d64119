import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { ActOutside } from '../../../operations/define-operation.ts'
import { defineSurfaceOperation } from '../../../operations/define-surface-operation.ts'
import { readPolicy } from '../../../operations/policy/change-policy.ts'
import { policyChangeErrors } from '../../../operations/policy/policy-change-errors.ts'
import { faultsOfFile, revisionOfFile } from '../../../platform/policy-edits/revision-name.ts'
import { FaultShape, writtenTools } from '../policy/policy-view.ts'
import { ProbeShape, probeProvider } from './probe-provider.ts'
import { ProviderName } from './provider-changes.ts'
import { providerErrors } from './provider-errors.ts'
import { ProviderShape, showProviders } from './provider-view.ts'

export const ProviderListOutput = z.strictObject({
  object: z.literal('list'),
  path: z.string(),
  revision: z.string(),
  errors: z.array(FaultShape).describe('Where the policy is damaged, no provider counts'),
  data: z.array(ProviderShape),
})

export const providerList = defineSurfaceOperation({
  name: 'owner_provider_list',
  summary:
    'List the named providers of the policy: where they are, where credentials come from, which tools they have.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/providers',
  cli: 'provider list',
  errors: policyChangeErrors.pick('policy_damaged'),
  input: z.strictObject({}),
  output: ProviderListOutput,
  present: async () => (await import('./present-providers.ts')).presentProviders,
  async handle({ hub, vault_id }) {
    const file = await readPolicy(hub, vault_id)
    return {
      object: 'list' as const,
      path: hub.home.vaultPolicy(vault_id),
      revision: revisionOfFile(file),
      errors: faultsOfFile(file),
      data: showProviders(hub.rulesOf(vault_id), writtenTools(file.text ?? '')),
    }
  },
})

export const ProviderTestOutput = z.strictObject({
  object: z.literal('provider_test'),
  name: z.string(),
  path: z.string(),
  ...ProbeShape.shape,
})

export const providerTest = defineSurfaceOperation({
  name: 'owner_provider_test',
  summary: 'Ask a named provider whether it answers, with its credentials; no tool is called.',
  effect: 'update',
  outward: true,
  openWorld: true,
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/providers/{name}/test',
  cli: 'provider test <name>',
  errors: providerErrors.pick('unknown_provider'),
  target: ({ name }) => ({ kind: 'provider', id: name }),
  input: z.strictObject({ name: ProviderName }),
  output: ProviderTestOutput,
  present: async () => (await import('./present-providers.ts')).presentProviderTest,
  async handle({ input: { name }, hub, vault_id, rules, refuse }) {
    const { providers = {} } = rules.policy.value.external_agent ?? {}
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined
    if (!provider) return refuse('unknown_provider')
    const path = hub.home.vaultPolicy(vault_id)
    return new ActOutside(async (signal) => {
      const probe = await probeProvider(hub, provider, signal)
      return { object: 'provider_test' as const, name, path, ...probe }
    })
  },
})
