import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { findDefinition } from '../../../platform/pins/review-store.ts'
import { type CoveredPart, partsThatDiffer } from '../../../platform/pins/tool-definition.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { findProposals } from './find-proposals.ts'
import { Definition, MarkShape, pinErrors } from './pin-shapes.ts'

export const ProviderName = z
  .string()
  .max(64)
  .describe('The name of the server under providers in the policy')
export const Prefix = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,40}$/)
  .optional()
  .describe('Stands before the names of the tools in their ids, so that those of two servers do not meet')

const ProposalShape = z.strictObject({
  tool: z.string().describe('Its name at the server'),
  id: z.string().describe('Its id in the policy'),
  state: z.enum(['new', 'same', 'changed', 'unpinned', 'taken', 'refused']),
  why: z.string().nullable().describe('Why it cannot be imported'),
  pin: z.string().nullable().describe('The hash over the definition'),
  definition: Definition.nullable().describe(
    'Name, description, schemas and annotations, as the server lists them',
  ),
  reviewed: Definition.nullable().describe('As it was reviewed, where it has changed since'),
  differs: z.array(z.enum(['name', 'description', 'inputSchema', 'outputSchema', 'annotations'])),
  marks: z.array(MarkShape).describe('What should not be overlooked'),
})

export const ImportOutput = z.strictObject({
  object: z.literal('provider_import'),
  provider: z.string(),
  digest: z.string().describe('Over what is shown: what is taken is just this'),
  tools: z.array(ProposalShape),
  unusable: z.int().describe('How many things the server lists that have no usable name'),
  missing: z.array(z.string()).describe('Ids of the policy whose tools the server does not list'),
})

/** Shows what would be imported; nothing is changed. */
export const providerImport = defineOwnerOperation({
  name: 'owner_provider_import',
  summary: 'List the tools of an MCP server of the policy, to be reviewed before some or all are taken.',
  effect: 'read',
  openWorld: true,
  authority: ownerSurface({ session_only: true }),
  rest: 'GET /v1/owner/providers/{provider}/tools',
  cli: 'provider import <provider>',
  errors: pinErrors.pick('unknown_provider', 'provider_failed', 'provider_listing_refused'),
  input: z.strictObject({ provider: ProviderName, prefix: Prefix }),
  output: ImportOutput,
  present: async () => (await import('./present-pins.ts')).presentImport,
  async handle(context) {
    const { proposals, unusable, digest, missing } = await findProposals(context)
    const listed = context.rules.policy.value.external_agent?.allowed_tools ?? []
    const tools = []
    for (const { tool, id, state, why = null, pinned, marks } of proposals) {
      const former = state === 'changed' ? listed.find((one) => one.id === id)?.pin : undefined
      const reviewed = former === undefined ? undefined : await findDefinition(context.db, former)
      const differs: CoveredPart[] = reviewed && pinned ? partsThatDiffer(reviewed, pinned.definition) : []
      const shown = {
        pin: pinned?.pin ?? null,
        definition: pinned?.definition ?? null,
        reviewed: reviewed ?? null,
      }
      tools.push({ tool, id, state, why, ...shown, differs, marks: [...marks] })
    }
    return {
      object: 'provider_import' as const,
      provider: context.input.provider,
      digest,
      tools,
      unusable,
      missing: missing.map(({ id }) => id),
    }
  },
})
