import { z } from 'zod'
import { MAX_DESCRIPTION_CHARS } from '../pins/propose-tools.ts'
import { PIN } from '../pins/tool-definition.ts'
import { chosenSchema } from '../upstream/chosen-schema.ts'
import { compilePayloadCheck } from '../upstream/payload-schema.ts'
import {
  bindProvider,
  MAX_OUTPUT_BYTES,
  NamedProviders,
  type ToolProvider,
  WrittenProvider,
} from '../upstream/provider-policy.ts'
import { BoundaryPolicy, Engines } from './engine-policy.ts'

const TOOL_LIMIT = 1_000
const COUNT_LIMIT = 1_000_000_000

/** What a skill reference names a tool by: one line of text, nothing else is known about it. */
const ToolId = z.lazy(() =>
  z
    .string()
    .min(1)
    .max(256)
    .regex(/^[^\p{Cc}\u2028\u2029]+$/u),
)

/** What one grant, or all grants together, may ask of a tool, beside the count of a grant. */
const budgets = () => ({
  calls_per_minute: z.int().positive().max(COUNT_LIMIT).optional(),
  max_payload_bytes: z.int().positive().max(MAX_OUTPUT_BYTES).optional(),
  max_result_bytes: z.int().positive().max(MAX_OUTPUT_BYTES).optional(),
})

const jsonSchema = () => z.record(z.string(), z.unknown()).refine(isUsableSchema, 'not a usable JSON Schema')

const WrittenTool = z.lazy(() =>
  z.strictObject({
    id: ToolId,
    description: z.string().max(MAX_DESCRIPTION_CHARS).optional(),
    input_schema: jsonSchema().optional(),
    /** What the structured answers of a server's tool look like: agents are told, and answers held against it. */
    output_schema: jsonSchema().optional(),
    /** What a server says of its tool. Agents are told that it says so. */
    annotations: z.record(z.string(), z.unknown()).optional(),
    /** The owner vouches for the annotations: agents are told them as the hub's own. */
    trusts_annotations: z.boolean().optional(),
    provider: WrittenProvider.optional(),
    /** Over the definition of the server's tool as it was reviewed: one that differs closes this tool. */
    pin: z.string().regex(PIN, 'sha256: and 64 hex digits').optional(),
    /** Redaction rules that this tool's answers are not subject to. A name that is no rule stops the tool. */
    redaction_exceptions: z
      .array(z.string().regex(/^[a-z0-9_]{1,64}$/))
      .max(100)
      .optional(),
    /** Whether a call waits for the owner's word: each one, or the first of a grant with arguments of that shape. */
    approval: z.enum(['never', 'first_call', 'each_call']).optional(),
    /** Of all grants together. */
    ...budgets(),
  }),
)
type WrittenTool = z.infer<typeof WrittenTool>

/** A tool of the allowlist with what it really calls. */
export interface AllowedTool extends Omit<WrittenTool, 'provider'> {
  provider?: ToolProvider | undefined
}

/** A schema that cannot be applied would let anything through: the policy that holds it is damaged. */
function isUsableSchema(schema: object): boolean {
  try {
    compilePayloadCheck(schema)
    return true
  } catch {
    return false
  }
}

/** A bare id stands for a tool that has nothing but its id. */
const AllowedToolEntry = chosenSchema(
  (raw): z.ZodType<WrittenTool> =>
    typeof raw === 'string' ? ToolId.transform((id) => ({ id })) : WrittenTool,
)

/** Of two entries for one id nobody could say which one the owner meant. */
const allowedTools = () =>
  z
    .array(AllowedToolEntry)
    .max(TOOL_LIMIT)
    .refine((tools) => new Set(tools.map((tool) => tool.id)).size === tools.length, 'a tool is listed twice')
    // Every reader of an address takes such a part out of it, so the tool would be listed and could not be called.
    .refine(
      (tools) => !tools.some(({ id }) => id === '.' || id === '..'),
      'no address can name a tool called . or ..',
    )

/** Only the exact word relaxes the import check; every other value means to reject. */
const importPolicy = () =>
  z.unknown().transform((value) => (value === 'strip_inert' ? ('strip_inert' as const) : ('reject' as const)))

const writtenAgentPolicy = () =>
  z.strictObject({
    enabled: z.boolean().optional(),
    forbidden: z.boolean().optional(),
    hosted_projection_enabled: z.boolean().optional(),
    providers: NamedProviders.optional(),
    allowed_tools: allowedTools().optional(),
    import_policy: importPolicy().optional(),
    default_ttl_seconds: z.int().positive().optional(),
    max_ttl_seconds: z.int().positive().optional(),
    max_invocations: z.int().min(0).max(COUNT_LIMIT).optional(),
    allow_unlimited_invocations: z.boolean().optional(),
    max_live_grants: z.int().min(0).max(COUNT_LIMIT).optional(),
    /** Of each grant, whatever tools it calls. */
    ...budgets(),
  })

/** What can be said of the tool of an MCP server alone. */
const OF_SERVERS = ['pin', 'output_schema', 'annotations', 'trusts_annotations'] as const

/** Each tool with the provider that it names, so that no call has to look it up. */
const externalAgentPolicy = () =>
  writtenAgentPolicy().transform(({ allowed_tools, ...policy }, context) => {
    const bound = allowed_tools?.map((tool, at): AllowedTool => {
      const { provider: written, ...rest } = tool
      const provider = written && 'name' in written ? bindProvider(policy.providers ?? {}, written) : written
      const misplaced = Object(provider).kind === 'mcp' ? undefined : OF_SERVERS.find((one) => rest[one])
      if (typeof provider !== 'string' && !misplaced) return { ...rest, provider }
      const [field, message] =
        typeof provider === 'string' ? ['provider', provider] : [misplaced, 'is for a tool of an MCP server']
      const path = ['allowed_tools', at, field as string]
      context.issues.push({ code: 'custom', path, message, input: undefined })
      return z.NEVER
    })
    return { ...policy, ...(bound && { allowed_tools: bound }) }
  })

const authoringPolicy = () =>
  z.strictObject({
    writes_enabled: z.boolean().optional(),
    forbidden: z.boolean().optional(),
  })

const runPolicy = () =>
  z.strictObject({
    writes_enabled: z.boolean().optional(),
    automatable_execution_enabled: z.boolean().optional(),
    execution_forbidden: z.boolean().optional(),
  })

/** `<home>/vaults/<vault_id>/policy.yaml`: what the owner allows in this vault. */
export const VaultPolicy = z.lazy(() =>
  z.strictObject({
    external_agent: externalAgentPolicy().optional(),
    flow_authoring: authoringPolicy().optional(),
    flow_runs: runPolicy().optional(),
    engines: Engines.optional(),
    boundary: BoundaryPolicy.optional(),
  }),
)
export type VaultPolicy = z.infer<typeof VaultPolicy>

/** What counts when there is no policy or a damaged one: everything off. */
export const CLOSED_POLICY: VaultPolicy = {}
