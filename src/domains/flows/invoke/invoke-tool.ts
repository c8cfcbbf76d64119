import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import {
  ActOutside,
  type Context,
  defineOperation,
  type Effect,
} from '../../../operations/define-operation.ts'
import { compilePayloadCheck } from '../../../platform/upstream/payload-schema.ts'
import type { Part } from '../activation/conditions.ts'
import { type AllowedTool, allowedToolIds, requireAllowedTool } from '../allowlist.ts'
import { MAX_REF_ID_CHARS } from '../bundle/limits.ts'
import { flowErrors } from '../flow-errors.ts'
import { findReferences, requireGrant } from '../grants/check-grant.ts'
import { type Grant, MISPLACED_BEARER } from '../grants/grant-record.ts'
import { takeInvocation } from '../grants/grant-store.ts'
import { isOverBudget, takeFromBudgets } from './call-budgets.ts'
import { callProvider, isProvided } from './providers.ts'
import { whileActivated } from './while-activated.ts'

const input = z.strictObject({
  tool_id: z.string().min(1).max(MAX_REF_ID_CHARS).describe('The tool to invoke'),
  flow_id: z.string().max(128).optional().describe('The flow that the grant is for'),
  flow_version: z.string().max(64).optional().describe('The version that the grant is pinned to'),
  payload: z.record(z.string(), z.unknown()).optional().describe("The tool's arguments"),
})

export const InvokeToolOutput = z.strictObject({
  schema: z.literal('knowtation.flow_external_tool_invoke/v0'),
  tool_id: z.string(),
  accepted: z.literal(true),
  grant_id: z.string(),
  result: z.unknown().optional(),
})

/** The pipeline has checked the gate, and taking the invocation decides whether one is left. */
const USE: readonly Part[] = ['life', 'use', 'sight']

const errors = flowErrors.pick(
  'unknown_flow',
  'FLOW_SCOPE_AMBIGUOUS',
  'FLOW_EXTERNAL_AGENT_DISABLED',
  'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
  'FLOW_EXTERNAL_GRANT_DENIED',
  'FLOW_EXTERNAL_GRANT_EXPIRED',
  'FLOW_EXTERNAL_GRANT_REVOKED',
  'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
  'FLOW_EXTERNAL_GRANT_TOOL_DENIED',
  'FLOW_EXTERNAL_TOOL_DENIED',
  'FLOW_EXTERNAL_PROVIDER_FAILED',
  'FLOW_EXTERNAL_PROVIDER_TIMEOUT',
)

const gate = {
  flag: 'FLOW_EXTERNAL_AGENT_ENABLED',
  whenOff: 'FLOW_EXTERNAL_AGENT_DISABLED',
  whenForbidden: 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
} as const

type Asking<E extends Effect> = Context<z.output<typeof input>, keyof typeof errors, E>

export const invokeTool = defineOperation({
  name: 'flow_external_tool_invoke',
  summary:
    'Invoke a granted tool. Needs the grant bearer beside the usual credential: header X-Flow-External-Bearer, or variable KNOWTATION_GRANT_BEARER.',
  description:
    'Invoke a granted tool. Needs the grant bearer beside the usual credential: over HTTP in the header X-Flow-External-Bearer, for a hub that the client starts itself in the variable KNOWTATION_GRANT_BEARER. A client that presents it is listed the granted tools under their own names, so call those instead.',
  effect: 'update',
  openWorld: true,
  authority: vaultMember('read'),
  gate,
  rest: 'POST /api/v1/flows/external-tools/{tool_id}/invoke',
  mcp: true,
  cli: 'flow tool invoke <tool_id>',
  errors,
  ignores: [
    ...MISPLACED_BEARER,
    'grant',
    'grant_id',
    'consent_id',
    'vault_id',
    'scope',
    'invocation_count',
    'max_invocations',
  ],
  // Only a name that the owner listed may stand in the audit log: anything else is the caller's own text.
  target: ({ tool_id }, { policy }) =>
    allowedToolIds(policy.value).has(tool_id) ? { kind: 'external_tool', id: tool_id } : undefined,
  references: findReferences,
  input,
  output: InvokeToolOutput,
  present: async () => (await import('./present-invoke.ts')).presentInvocation,
  async check(context) {
    const { tool, grant } = await requireActivated(context)
    const payload = context.input.payload ?? {}
    if (isOverBudget(payload, 'max_payload_bytes', tool, context.rules.policy.value))
      context.refuse('BAD_REQUEST', 'The payload is larger than what the tool may be given.')
    if (!isPayloadFor(tool, payload))
      context.refuse('BAD_REQUEST', "The payload does not fit the tool's input schema.")
    return { tool, grant, payload }
  },
  // Taking the invocation is what binds: it asks again whether the grant is neither revoked nor expired.
  async handle(context, { tool, grant, payload }) {
    if (!(await takeInvocation(context.db, grant.grant_id, context.now))) await refuseUntaken(context)
    await takeFromBudgets(context, grant, tool)
    const accepted = {
      schema: 'knowtation.flow_external_tool_invoke/v0' as const,
      tool_id: tool.id,
      accepted: true as const,
      grant_id: grant.grant_id,
    }
    if (!isProvided(tool)) return accepted
    return new ActOutside(async (signal) => {
      const result = await whileActivated(
        () => requireStillActivated(context),
        signal,
        (stop) => callProvider(context, grant, tool, payload, stop),
      )
      return { ...accepted, result }
    })
  },
})

async function requireActivated(
  context: Asking<Effect>,
  parts = USE,
): Promise<{ tool: AllowedTool; grant: Grant }> {
  const { tool_id, flow_id, flow_version } = context.input
  const grant = await requireGrant(context, parts, () => ({ flow_id, flow_version, tools: [tool_id] }))
  return { grant, tool: requireAllowedTool(context.rules.policy.value, tool_id) }
}

/** A revoke may have come between the check and the count: then it is what the caller hears of. */
async function refuseUntaken(context: Asking<'update'>): Promise<never> {
  await requireActivated(context, ['life'])
  return context.refuse('FLOW_EXTERNAL_GRANT_DENIED')
}

/** The same conditions at a later moment, by the policy of that moment. */
async function requireStillActivated(context: Asking<'update'>): Promise<void> {
  const { hub, vault_id } = context
  const later = { ...context, rules: hub.rulesOf(vault_id), db: hub.db, now: hub.system.now() }
  await requireActivated(later, ['gate', ...USE])
}

/** Whether the payload fits the tool's declared schema; without one any object does. */
function isPayloadFor(tool: AllowedTool, payload: Record<string, unknown>): boolean {
  return tool.input_schema === undefined || compilePayloadCheck(tool.input_schema)(payload)
}
