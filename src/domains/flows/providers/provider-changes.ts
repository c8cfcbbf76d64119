import { z } from 'zod'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { policyChangeShape } from '../../../operations/policy/change-policy.ts'
import { definePolicyChange, edited } from '../../../operations/policy/define-policy-change.ts'
import { type PolicyDocument, PROVIDERS, TOOLS } from '../../../platform/policy-edits/policy-document.ts'
import { providerErrors } from './provider-errors.ts'

export const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a name of small letters, digits, _ and -')
  .describe('What the policy calls it')

export const ProviderChangeOutput = z.strictObject({
  object: z.literal('provider_change'),
  name: z.string(),
  ...policyChangeShape,
})

const word = z.string().min(1).max(4_096)

/** A provider with credentials of the hub's is something that tools can be reached by from then on. */
export const providerAdd = definePolicyChange({
  name: 'owner_provider_add',
  summary: 'Give an MCP server or an HTTP service a name in the policy, so that tools can be reached by it.',
  effect: 'create',
  opens: true,
  rest: 'POST /v1/owner/providers',
  cli: 'provider add <name>',
  fields: {
    name: ProviderName,
    kind: z.enum(['mcp', 'http']).default('mcp').describe('An MCP server, or a plain HTTP service'),
    command: z
      .array(word)
      .min(1)
      .max(64)
      .optional()
      .describe('The program of an MCP server and its arguments, as a list: a,b or ["a","b"]'),
    address: word.optional().describe('The address of a server or service, as url has it in the policy'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('Of an HTTP service'),
    env: z
      .array(word)
      .max(64)
      .optional()
      .describe("Variables of the hub's environment that the program gets"),
    headers: z
      .record(z.string(), word)
      .optional()
      .describe('Headers to send; a credential as env:NAME, file:/path or exec:command'),
    connection: word.optional().describe('A connection of the owner whose tokens it is asked with'),
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What else would stand there in the policy, such as allow_addresses'),
  },
  errors: providerErrors.pick('provider_listed'),
  target: ({ name }) => ({ kind: 'provider', id: name }),
  output: ProviderChangeOutput,
  present: async () => (await import('./present-providers.ts')).presentProviderChange,
  rewrite: edited((document, { input, refuse }) => {
    if (document.findProvider(input.name)) refuse('provider_listed')
    const { kind, command, address: url, method, env, headers, connection, settings } = input
    const credentials = connection === undefined ? undefined : { connection }
    const fields = Object.entries({ kind, command, url, method, env, headers, credentials, ...settings })
    const given = fields.filter(([, value]) => value !== undefined)
    document.set([...PROVIDERS, input.name], Object.fromEntries(given))
  }),
  answer: (change, { input }) => ({ object: 'provider_change' as const, name: input.name, ...change }),
})

export const ProvidersChangeOutput = z.strictObject({
  object: z.literal('providers_change'),
  names: z.array(z.string()),
  ...policyChangeShape,
})

export const providerAddMany = definePolicyChange({
  name: 'owner_provider_add_many',
  summary: 'Give several servers and services names in the policy, all of them or none.',
  effect: 'create',
  opens: true,
  rest: 'POST /v1/owner/providers/several',
  cli: 'provider add-many',
  fields: {
    providers: z
      .record(ProviderName, z.record(z.string(), z.unknown()))
      .describe('What stands there in the policy, by name'),
  },
  errors: providerErrors.pick('provider_listed'),
  output: ProvidersChangeOutput,
  present: async () => (await import('./present-providers.ts')).presentProvidersChange,
  rewrite: edited((document, { input, refuse }) => {
    for (const [name, entry] of Object.entries(input.providers)) {
      if (document.findProvider(name)) refuse('provider_listed')
      document.set([...PROVIDERS, name], entry)
    }
  }),
  answer: (change, { input }) => ({
    object: 'providers_change' as const,
    names: Object.keys(input.providers),
    ...change,
  }),
})

export const providerRemove = definePolicyChange({
  name: 'owner_provider_remove',
  summary: 'Take a named provider out of the policy. No tool may be reached by it any more.',
  effect: 'delete',
  whileLocked: true,
  rest: 'DELETE /v1/owner/providers/{name}',
  cli: 'provider remove <name>',
  fields: { name: ProviderName },
  errors: providerErrors.pick('unknown_provider', 'provider_in_use'),
  target: ({ name }) => ({ kind: 'provider', id: name }),
  output: ProviderChangeOutput,
  present: async () => (await import('./present-providers.ts')).presentProviderChange,
  rewrite: edited((document, { input, hub, vault_id, refuse }) => {
    const at = document.findProvider(input.name) ?? refuse('unknown_provider')
    const tools = toolsOf(document, input.name)
    const path = hub.home.vaultPolicy(vault_id)
    if (tools.length > 0)
      throw new OwnerRefusal(
        'provider_in_use',
        `${path}: ${input.name} is the provider of ${tools.join(', ')}.`,
        {
          tools,
        },
      )
    document.remove(at)
  }),
  answer: (change, { input }) => ({ object: 'provider_change' as const, name: input.name, ...change }),
})

function toolsOf(document: PolicyDocument, name: string): string[] {
  const tools = document.get(TOOLS)
  if (!Array.isArray(tools)) return []
  return tools.filter((tool) => Object(tool).provider?.name === name).map((tool) => String(tool.id))
}
