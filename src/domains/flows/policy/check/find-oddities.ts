import { z } from 'zod'
import type { VaultPolicy } from '../../../../platform/policy/vault-policy.ts'
import { openPolicyDocument, PROVIDERS, TOOLS } from '../../../../platform/policy-edits/policy-document.ts'
import { lineOfPath } from '../../../../platform/policy-edits/policy-faults.ts'
import { credentialsOf } from '../../providers/provider-view.ts'

export const OddityShape = z.strictObject({
  kind: z.enum([
    'never_matches',
    'undeclared',
    'accepts_anything',
    'written_secret',
    'unused_provider',
    'provider_silent',
  ]),
  line: z.int(),
  at: z.string().describe('The place in the policy'),
  message: z.string(),
})
export type Oddity = z.output<typeof OddityShape>

type Found = Pick<Oddity, 'kind' | 'message'> & { path: readonly (string | number)[] }

/** What a sound policy says that its owner can hardly mean. */
export function findOddities(text: string, policy: VaultPolicy, declared: ReadonlySet<string>): Oddity[] {
  const { external_agent = {} } = policy
  const tools = external_agent.allowed_tools ?? []
  const found: Found[] = [
    ...gateOddities(external_agent),
    ...tools.flatMap((tool, at) => toolOddities(tool, [...TOOLS, at], declared)),
    ...providerOddities(external_agent.providers ?? {}, openPolicyDocument(text).get(TOOLS)),
  ]
  return found.map(({ path, ...rest }) => ({ ...rest, line: lineOfPath(text, path), at: path.join('.') }))
}

type Agents = NonNullable<VaultPolicy['external_agent']>
type Tool = NonNullable<Agents['allowed_tools']>[number]

function odd(key: string, message: string): Found {
  return { kind: 'never_matches', path: ['external_agent', key], message }
}

/** What closes all that is below it. */
function gateOddities(agents: Agents): Found[] {
  const { forbidden, enabled, max_invocations, max_live_grants, allowed_tools = [] } = agents
  const found: Found[] = []
  if (forbidden && enabled) found.push(odd('enabled', 'opens nothing, since forbidden is set'))
  if (max_live_grants === 0 && allowed_tools.length > 0)
    found.push(odd('max_live_grants', 'no grant can be minted, so no tool can be called'))
  if (max_invocations === 0 && !agents.allow_unlimited_invocations)
    found.push(
      odd('max_invocations', 'no limit needs allow_unlimited_invocations; without it no grant is minted'),
    )
  const { default_ttl_seconds: usual, max_ttl_seconds: most } = agents
  if (usual !== undefined && most !== undefined && usual > most)
    found.push(odd('default_ttl_seconds', 'is longer than max_ttl_seconds, which counts'))
  return found
}

function toolOddities(
  { id, input_schema: schema, provider }: Tool,
  path: Found['path'],
  declared: ReadonlySet<string>,
): Found[] {
  const found: Found[] = []
  if (!declared.has(id))
    found.push({ kind: 'undeclared', path, message: `no flow declares ${id}, so no grant can have it` })
  const nothing = schema !== undefined && acceptsNothing(schema)
  if (nothing)
    found.push({
      kind: 'never_matches',
      path: [...path, 'input_schema'],
      message: 'no arguments fit this schema',
    })
  // A tool with nothing behind it sends its arguments nowhere.
  if (provider && !nothing && acceptsAnything(schema))
    found.push({
      kind: 'accepts_anything',
      path: schema ? [...path, 'input_schema'] : path,
      message: `any arguments are sent on: ${schema ? 'this schema bounds none' : `${id} has no input_schema`}`,
    })
  return found
}

function providerOddities(providers: NonNullable<Agents['providers']>, tools: unknown): Found[] {
  const used = new Set(
    Array.isArray(tools) ? tools.map((tool) => Object(tool).provider?.name as unknown) : [],
  )
  return Object.entries(providers).flatMap(([name, provider]): Found[] => {
    const path = [...PROVIDERS, name]
    const written = credentialsOf(provider).filter(({ at, from }) => from === 'written' && !isOpen(at))
    return [
      ...(used.has(name)
        ? []
        : [{ kind: 'unused_provider' as const, path, message: `no tool is reached by ${name}` }]),
      ...written.map(({ at }) => ({
        kind: 'written_secret' as const,
        path,
        message: `${at} is written out: name where it is read instead, as env:NAME, file:/path or exec:command`,
      })),
    ]
  })
}

function isOpen(header: string): boolean {
  return /^(accept|accept-language|content-type|user-agent|cache-control|prefer)$/i.test(header)
}

type Schema = Record<string, unknown>

/** Whether no object can fit, as far as that is plain to see. */
function acceptsNothing(schema: Schema): boolean {
  const { type, not, properties, required, additionalProperties, enum: values } = schema
  const types = type === undefined ? undefined : [type].flat()
  if (types && !types.includes('object')) return true
  if (not !== undefined && (not === true || isEmpty(not))) return true
  if (Array.isArray(values) && !values.some((value) => typeof value === 'object' && value !== null))
    return true
  if (Number(schema.minProperties) > Number(schema.maxProperties)) return true
  const known = Object(properties) as Schema
  const needed = Array.isArray(required) ? required.map(String) : []
  return needed.some((name) =>
    Object.hasOwn(known, name)
      ? known[name] === false
      : additionalProperties === false && schema.patternProperties === undefined,
  )
}

/** Whether an object fits whatever it holds. */
function acceptsAnything(schema: Schema | undefined): boolean {
  if (!schema) return true
  const bounds = Object.entries(schema).filter(
    ([key, value]) => !NO_BOUND.has(key) && !isBoundless(key, value),
  )
  return bounds.length === 0
}

const NO_BOUND = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'examples',
  'default',
  'type',
])

function isBoundless(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === true || isEmpty(value)
  if (key === 'required') return Array.isArray(value) && value.length === 0
  if (key !== 'properties') return false
  return Object.values(Object(value)).every((one) => one === true || isEmpty(one))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
