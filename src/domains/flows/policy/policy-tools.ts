import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineSurfaceOperation } from '../../../operations/define-surface-operation.ts'
import { policyChangeShape, readPolicy } from '../../../operations/policy/change-policy.ts'
import { definePolicyChange, edited } from '../../../operations/policy/define-policy-change.ts'
import { policyChangeErrors } from '../../../operations/policy/policy-change-errors.ts'
import { TOOLS } from '../../../platform/policy-edits/policy-document.ts'
import { listedTarget } from '../allowlist.ts'
import { policyErrors } from './policy-errors.ts'
import { showTools, ToolShape, writtenTools } from './policy-view.ts'

const ToolId = z.string().min(1).max(256).describe('The id of the tool, as flows declare it')
const budget = z.int().positive().optional()

export const ToolChangeOutput = z.strictObject({
  object: z.literal('policy_tool_change'),
  tool_id: z.string(),
  ...policyChangeShape,
})

export const ToolOutput = z.strictObject({
  object: z.literal('policy_tool'),
  path: z.string(),
  ...ToolShape.shape,
})

export const policyToolAdd = definePolicyChange({
  name: 'owner_policy_tool_add',
  effect: 'create',
  summary: 'Put a tool on the allowlist of the vault.',
  opens: true,
  rest: 'POST /v1/owner/policy/tools',
  cli: 'policy tool add <tool_id>',
  fields: {
    tool_id: ToolId,
    description: z.string().max(2_000).optional().describe('What it does'),
    provider: z
      .string()
      .max(64)
      .optional()
      .describe('The provider of the policy that it is reached by, by its name'),
    provider_tool: z.string().max(4_096).optional().describe('Which tool of an MCP server it is'),
    own_provider: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A provider that this tool alone has, as it would stand in the policy'),
    input_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What arguments it takes: a JSON Schema'),
    approval: z
      .enum(['never', 'first_call', 'each_call'])
      .optional()
      .describe('Whether a call asks you first'),
    calls_per_minute: budget.describe('Of all grants together'),
    max_payload_bytes: budget.describe('Of the arguments of a call'),
    max_result_bytes: budget.describe('Of the answer to a call'),
  },
  errors: policyErrors.pick('policy_tool_listed'),
  made: ({ tool_id }) => ({ kind: 'external_tool', id: tool_id }),
  output: ToolChangeOutput,
  present: async () => (await import('./present-policy.ts')).presentToolChange,
  rewrite: edited((document, { input, refuse }) => {
    if (document.findTool(input.tool_id)) refuse('policy_tool_listed')
    const {
      tool_id: id,
      provider,
      provider_tool,
      own_provider,
      base_revision: _b,
      reason: _r,
      ...rest
    } = input
    const named = provider !== undefined && { name: provider, ...(provider_tool && { tool: provider_tool }) }
    const stands = named || own_provider
    document.append(TOOLS, { id, ...withoutNothing(rest), ...(stands && { provider: stands }) })
  }),
  answer: (change, { input }) => ({
    object: 'policy_tool_change' as const,
    tool_id: input.tool_id,
    ...change,
  }),
})

export const policyToolRemove = definePolicyChange({
  name: 'owner_policy_tool_remove',
  effect: 'delete',
  summary: 'Take a tool off the allowlist of the vault.',
  whileLocked: true,
  rest: 'DELETE /v1/owner/policy/tools/{tool_id}',
  cli: 'policy tool remove <tool_id>',
  fields: { tool_id: ToolId },
  errors: policyErrors.pick('unknown_policy_tool'),
  target: ({ tool_id }, { policy }) => listedTarget(tool_id, policy.value),
  output: ToolChangeOutput,
  present: async () => (await import('./present-policy.ts')).presentToolChange,
  rewrite: edited((document, { input, refuse }) => {
    document.remove(document.findTool(input.tool_id) ?? refuse('unknown_policy_tool'))
  }),
  answer: (change, { input }) => ({
    object: 'policy_tool_change' as const,
    tool_id: input.tool_id,
    ...change,
  }),
})

export const policyToolShow = defineSurfaceOperation({
  name: 'owner_policy_tool_show',
  summary: 'Show one tool of the allowlist with its provider, approval, pin and budgets.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/policy/tools/{tool_id}',
  cli: 'policy tool show <tool_id>',
  errors: { ...policyErrors.pick('unknown_policy_tool'), ...policyChangeErrors.pick('policy_damaged') },
  target: ({ tool_id }, { policy }) => listedTarget(tool_id, policy.value),
  input: z.strictObject({ tool_id: ToolId }),
  output: ToolOutput,
  present: async () => (await import('./present-policy.ts')).presentTool,
  async handle({ input, hub, vault_id, refuse }) {
    const { text = '' } = await readPolicy(hub, vault_id)
    const tools = showTools(hub.rulesOf(vault_id), writtenTools(text))
    const tool = tools.find(({ id }) => id === input.tool_id) ?? refuse('unknown_policy_tool')
    return { object: 'policy_tool' as const, path: hub.home.vaultPolicy(vault_id), ...tool }
  },
})

function withoutNothing(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
