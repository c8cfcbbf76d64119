import { z } from 'zod'
import type { VaultRules } from '../../../platform/policy/policies.ts'
import { type NamedProvider, REFERENCE } from '../../../platform/upstream/provider-policy.ts'
import { addressOf } from '../policy/policy-view.ts'

export const ProviderShape = z.strictObject({
  name: z.string(),
  kind: z.enum(['mcp', 'http']),
  address: z.string().describe('The command that is started, or the address that is asked'),
  credentials: z.array(
    z.strictObject({
      at: z.string().describe('The header or the variable that it is given in'),
      from: z.string().describe('Where it is read; `written`: it stands in the policy itself'),
    }),
  ),
  allow_addresses: z.array(z.string()),
  timeout_seconds: z.number(),
  max_output_bytes: z.int(),
  tools: z.array(z.string()).describe('The tools of the allowlist that are reached by it'),
})
export type ShownProvider = z.output<typeof ProviderShape>

/** The named providers of a policy; of a credential only where it comes from. */
export function showProviders({ policy }: Pick<VaultRules, 'policy'>, tools: unknown): ShownProvider[] {
  const { providers = {} } = policy.value.external_agent ?? {}
  const list = Array.isArray(tools) ? tools : []
  return Object.entries(providers).map(([name, provider]) => ({
    name,
    kind: provider.kind,
    address: addressOf(provider),
    credentials: credentialsOf(provider),
    allow_addresses: 'allow_addresses' in provider ? provider.allow_addresses : [],
    timeout_seconds: provider.timeout_seconds,
    max_output_bytes: provider.max_output_bytes,
    tools: list.filter((tool) => Object(tool).provider?.name === name).map((tool) => String(tool.id)),
  }))
}

/** What a provider is given beside arguments: only where each comes from. */
export function credentialsOf(provider: NamedProvider): ShownProvider['credentials'] {
  if (!('command' in provider)) return [...sourcesOf(provider.headers), ...tokensOf(provider)]
  const { env, env_files } = provider
  const listed = Array.isArray(env) ? env.map((at: string) => ({ at, from: `env:${at}` })) : sourcesOf(env)
  return [...listed, ...Object.entries(env_files).map(([at, path]) => ({ at, from: `file:${path}` }))]
}

/** Tokens of a connection that the owner has authorised. */
function tokensOf({ credentials }: { credentials?: { connection: string } | undefined }) {
  return credentials ? [{ at: 'authorization', from: `connection:${credentials.connection}` }] : []
}

/** What a reference names is told, and nothing of a command but that it is one: it may hold a secret. */
function sourcesOf(
  written: Readonly<Record<string, string>> | readonly string[],
): ShownProvider['credentials'] {
  return Object.entries(written).map(([at, value]) => {
    const [, , kind, name = ''] = REFERENCE.exec(value) ?? []
    if (kind === undefined) return { at, from: 'written' }
    return { at, from: kind.toLowerCase() === 'exec' ? 'exec:…' : `${kind.toLowerCase()}:${name}` }
  })
}
