import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { ActOutside } from '../../../operations/define-operation.ts'
import { defineSurfaceOperation } from '../../../operations/define-surface-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { AllowedTool } from '../../../platform/policy/vault-policy.ts'
import { compilePayloadCheck } from '../../../platform/upstream/payload-schema.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'
import { listedTarget } from '../allowlist.ts'
import { isOverBudget } from '../invoke/call-budgets.ts'
import { askOutside, isProvided } from '../invoke/providers.ts'
import { policyErrors } from './policy-errors.ts'

export const ToolTestOutput = z.strictObject({
  object: z.literal('policy_tool_test'),
  tool_id: z.string(),
  path: z.string(),
  answered: z.boolean(),
  reason: z.string().nullable().describe('Why not, in one word'),
  says: z.string(),
  status: z.int().nullable(),
  result: z.unknown(),
})
type Tried = Pick<z.output<typeof ToolTestOutput>, 'answered' | 'reason' | 'says' | 'status' | 'result'>

/** A real call with the hub's own credentials, so it opens what it calls for once: it takes the owner in person. */
export const policyToolTest = defineSurfaceOperation({
  name: 'owner_policy_tool_test',
  summary: 'Try a tool of the allowlist: call it once, really, without a grant and without a model.',
  effect: 'update',
  outward: true,
  openWorld: true,
  opens: true,
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/policy/tools/{tool_id}/test',
  cli: 'policy tool test <tool_id>',
  errors: policyErrors.pick('unknown_policy_tool', 'policy_tool_untried'),
  target: ({ tool_id }, { policy }) => listedTarget(tool_id, policy.value),
  input: z.strictObject({
    tool_id: z.string().min(1).max(256).describe('The id of the tool'),
    payload: z.record(z.string(), z.unknown()).default({}).describe("The tool's arguments"),
  }),
  output: ToolTestOutput,
  present: async () => (await import('./present-policy.ts')).presentToolTest,
  async handle(context) {
    const { input, hub, vault_id, rules, refuse } = context
    const { tool_id, payload } = input
    const tools = rules.policy.value.external_agent?.allowed_tools ?? []
    const tool = tools.find(({ id }) => id === tool_id) ?? refuse('unknown_policy_tool')
    if (tool.provider?.kind === 'toolbox') return refuse('policy_tool_untried')
    if (tool.input_schema && !compilePayloadCheck(tool.input_schema)(payload))
      return refuse('BAD_REQUEST', "The payload does not fit the tool's input schema.")
    if (isOverBudget(payload, 'max_payload_bytes', tool, context))
      return refuse('BAD_REQUEST', 'The payload is larger than what the tool may be given.')
    const named = { object: 'policy_tool_test' as const, tool_id, path: hub.home.vaultPolicy(vault_id) }
    return new ActOutside(async (signal) => ({ ...named, ...(await tryTool(hub, tool, payload, signal)) }))
  },
})

async function tryTool(
  hub: Hub,
  tool: AllowedTool,
  payload: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Tried> {
  const none = { status: null, result: null }
  if (!isProvided(tool))
    return {
      answered: false,
      reason: 'nothing_bound',
      says: 'No provider is bound, so nothing was sent.',
      ...none,
    }
  try {
    const result = await askOutside(hub, tool, payload, { signal })
    return { answered: true, reason: null, says: 'It answered.', status: null, result }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    const { reason, message: says, status = null } = error
    return { ...none, answered: false, reason, says, status }
  }
}
