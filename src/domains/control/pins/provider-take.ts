import { z } from 'zod'
import { policyChangeShape } from '../../../operations/policy/change-policy.ts'
import { definePolicyChange, edited } from '../../../operations/policy/define-policy-change.ts'
import type { Proposal } from '../../../platform/pins/propose-tools.ts'
import { findDefinition, keepDefinition } from '../../../platform/pins/review-store.ts'
import type { Pinned, ToolDefinition } from '../../../platform/pins/tool-definition.ts'
import { TOOLS } from '../../../platform/policy-edits/policy-document.ts'
import { findProposals } from './find-proposals.ts'
import { Digest, pinErrors, TAKABLE } from './pin-shapes.ts'
import { entryFor, renewEntry } from './policy-entries.ts'
import { Prefix, ProviderName } from './provider-import.ts'

const TAKEN_LIMIT = 1_000

export const TakeOutput = z.strictObject({
  object: z.literal('provider_take'),
  provider: z.string(),
  taken: z.array(z.strictObject({ id: z.string(), tool: z.string(), pin: z.string() })),
  ...policyChangeShape,
})

interface Taken {
  readonly id: string
  readonly pinned: Pinned
  /** As it was reviewed before. */
  readonly formerly: ToolDefinition | undefined
}

/** Writes what was shown into the policy, all that is wanted or nothing. The server is asked again: it may have changed. */
export const providerTake = definePolicyChange({
  name: 'owner_provider_take',
  opens: true,
  openWorld: true,
  summary:
    'Take reviewed tools of an MCP server into the policy, each pinned to the definition that was shown.',
  rest: 'POST /v1/owner/providers/{provider}/tools',
  cli: 'provider take <provider>',
  fields: {
    provider: ProviderName,
    digest: Digest.describe('The digest of what was shown by `provider import`'),
    tools: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(TAKEN_LIMIT)
      .optional()
      .describe('The tools to take, by their names at the server'),
    all: z.boolean().default(false).describe('Take all that can be taken'),
    prefix: Prefix,
    approval: z
      .enum(['first_call', 'each_call'])
      .optional()
      .describe('Have calls of the new ones wait for your word'),
  },
  errors: pinErrors.pick(
    'unknown_provider',
    'provider_failed',
    'provider_listing_refused',
    'provider_changed',
    'tool_not_takable',
  ),
  output: TakeOutput,
  present: async () => (await import('./present-pins.ts')).presentTaken,
  async find(context): Promise<Taken[]> {
    const { input, db, hub, rules, refuse } = context
    const { proposals, digest } = await findProposals(context)
    if (digest !== input.digest) return refuse('provider_changed')
    const taken: Taken[] = []
    for (const { id, pinned } of chosen(proposals, input, refuse)) {
      const former = rules.policy.value.external_agent?.allowed_tools?.find((tool) => tool.id === id)?.pin
      const formerly = former === undefined ? undefined : await findDefinition(db, former)
      taken.push({ id, pinned, formerly })
    }
    await hub.db.transaction(async (tx) => {
      for (const { pinned } of taken) await keepDefinition(tx, pinned, context.now)
    })
    return taken
  },
  rewrite: edited((document, { input: { provider, approval } }, taken) => {
    for (const { id, pinned, formerly } of taken) {
      const at = document.findTool(id)
      const entry = entryFor(id, provider, pinned.definition, pinned.pin)
      if (at) renewEntry(document, at, pinned, formerly)
      else document.append(TOOLS, { ...entry, ...(approval && { approval }) })
    }
  }),
  answer: (change, { input }, taken) => ({
    object: 'provider_take' as const,
    provider: input.provider,
    taken: taken.map(({ id, pinned }) => ({ id, tool: pinned.definition.name, pin: pinned.pin })),
    ...change,
  }),
})

interface Wanted {
  readonly tools?: readonly string[] | undefined
  readonly all: boolean
}
type Refuse = (code: 'tool_not_takable' | 'BAD_REQUEST', reason?: string) => never

/** What is wanted; one that cannot be taken and was named ends it all. */
function chosen(proposals: readonly Proposal[], { tools, all }: Wanted, refuse: Refuse) {
  if (all === (tools !== undefined)) return refuse('BAD_REQUEST', 'Say which tools to take, or all of them.')
  const takable = proposals.flatMap(({ tool, id, state, pinned }) =>
    pinned && TAKABLE.has(state) ? [{ tool, id, pinned }] : [],
  )
  const missing = tools?.filter((name) => !takable.some(({ tool }) => tool === name)) ?? []
  if (missing.length > 0) return refuse('tool_not_takable', `It cannot be taken: ${missing.join(', ')}.`)
  const wanted = all ? takable : takable.filter(({ tool }) => tools?.includes(tool))
  return wanted.length > 0 ? wanted : refuse('tool_not_takable', 'Nothing is left to take.')
}
