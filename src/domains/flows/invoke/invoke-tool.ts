import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import {
  ActOutside,
  type Context,
  defineOperation,
  type Effect,
} from '../../../operations/define-operation.ts'
import { type CallApproval, resultOf } from '../../../platform/approvals/approval.ts'
import { claimExecution, finishExecution } from '../../../platform/approvals/approval-moves.ts'
import { findApproval } from '../../../platform/approvals/approval-reads.ts'
import { sealSecret } from '../../../platform/secrets/sealed-secrets.ts'
import { compilePayloadCheck } from '../../../platform/upstream/payload-schema.ts'
import type { Part } from '../activation/conditions.ts'
import {
  type AllowedTool,
  type AskingTool,
  asksFirst,
  listedTarget,
  requireAllowedTool,
} from '../allowlist.ts'
import { askedCall } from '../approvals/asked-call.ts'
import { awaitWord, type Word } from '../approvals/await-word.ts'
import { attachTo, executeOnce } from '../approvals/execute-once.ts'
import { notYet, PendingOutput } from '../approvals/pending.ts'
import { MAX_REF_ID_CHARS } from '../bundle/limits.ts'
import { flowErrors } from '../flow-errors.ts'
import { findReferences, requireGrant } from '../grants/check-grant.ts'
import { type Grant, MISPLACED_BEARER } from '../grants/grant-record.ts'
import { takeInvocation } from '../grants/grant-store.ts'
import { isOverBudget, takeFromBudgets } from './call-budgets.ts'
import { callProvider, isProvided, type ProvidedTool } from './providers.ts'
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
  'FLOW_EXTERNAL_APPROVAL_DENIED',
  'FLOW_EXTERNAL_APPROVAL_EXPIRED',
  'FLOW_EXTERNAL_APPROVAL_UNKNOWN',
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
  target: ({ tool_id }, { policy }) => listedTarget(tool_id, policy.value),
  references: findReferences,
  input,
  output: InvokeToolOutput,
  pending: PendingOutput,
  present: async () => (await import('./present-invoke.ts')).presentInvocation,
  async check(context) {
    const { tool, grant } = await requireActivated(context)
    const payload = context.input.payload ?? {}
    if (isOverBudget(payload, 'max_payload_bytes', tool, context))
      context.refuse('BAD_REQUEST', 'The payload is larger than what the tool may be given.')
    if (!isPayloadFor(tool, payload))
      context.refuse('BAD_REQUEST', "The payload does not fit the tool's input schema.")
    return {
      tool,
      grant,
      payload,
      word: asksFirst(tool) ? await findWord(context, grant, tool, payload) : ('free' as const),
    }
  },
  // Taking the invocation is what binds: it asks again whether the grant is neither revoked nor expired.
  async handle(context, { tool, grant, payload, word }) {
    const accepted = {
      schema: 'knowtation.flow_external_tool_invoke/v0' as const,
      tool_id: tool.id,
      accepted: true as const,
      grant_id: grant.grant_id,
    }
    if (word === 'free') {
      await take(context, grant, tool)
      if (!isProvided(tool)) return accepted
      return new ActOutside(async (signal) => ({
        ...accepted,
        result: await perform(context, grant, tool, payload, signal),
      }))
    }
    if (word.state === 'waiting') {
      context.mark('FLOW_EXTERNAL_APPROVAL_PENDING')
      return notYet(word)
    }
    const claimed = await claim(context, word, { grant, tool, payload })
    if (!claimed) {
      context.mark('FLOW_EXTERNAL_APPROVAL_ATTACHED')
      return new ActOutside(async (signal) =>
        withResult(accepted, await attachTo(context, word.approval_id, signal)),
      )
    }
    await take(context, grant, tool)
    if (isProvided(tool))
      return new ActOutside(async (signal) => ({
        ...accepted,
        result: await executeOnce(context, claimed, signal, (stop) =>
          perform(context, grant, tool, payload, stop),
        ),
      }))
    await endAtOnce(context, claimed)
    return accepted
  },
})

interface Use {
  readonly grant: Grant
  readonly tool: AllowedTool
  readonly payload: Record<string, unknown>
}

/** What the owner says to the call, where the tool asks. What may have changed while it waited is looked at again. */
async function findWord(
  context: Asking<'read'>,
  grant: Grant,
  tool: AskingTool,
  payload: Record<string, unknown>,
): Promise<Word> {
  const activated = () => requireStillActivated(context)
  const call = askedCall(grant, tool, payload, context.rules.revision)
  const word = await whileActivated(activated, context.signal, (stop) =>
    awaitWord(context, call, payload, stop),
  )
  await activated()
  return word
}

function withResult<Accepted>(accepted: Accepted, result: unknown): Accepted & { result?: unknown } {
  return { ...accepted, ...(result !== undefined && { result }) }
}

async function take(context: Asking<'update'>, grant: Grant, tool: AllowedTool): Promise<void> {
  if (!(await takeInvocation(context.db, grant.grant_id, context.now))) await refuseUntaken(context)
  await takeFromBudgets(context, grant, tool)
}

/** Takes the one execution that was approved, by the policy of this moment; undefined where another call has it. */
async function claim(context: Asking<'update'>, approval: CallApproval, { grant, tool, payload }: Use) {
  const { db, now, rules, refuse } = context
  const current = await findApproval(db, approval.approval_id)
  if (current?.state === 'expired') return refuse('FLOW_EXTERNAL_APPROVAL_EXPIRED')
  if (current?.state !== 'approved') return undefined
  const isSame = asksFirst(tool) && askedCall(grant, tool, payload, rules.revision).digest === current.digest
  if (!isSame) return refuse('FLOW_EXTERNAL_APPROVAL_EXPIRED')
  const fence = await claimExecution(db, current, now)
  return fence === undefined ? undefined : { approval_id: current.approval_id, fence }
}

/** What has nothing behind it has happened with its record. */
async function endAtOnce(
  { db, hub, now }: Asking<'update'>,
  claimed: { approval_id: string; fence: number },
) {
  const result_sealed = await sealSecret(db, hub, resultOf(claimed.approval_id), '{}')
  await finishExecution(db, { ...claimed, state: 'executed', result_code: null, result_sealed }, now)
}

function perform(
  context: Asking<'update'>,
  grant: Grant,
  tool: ProvidedTool,
  payload: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const activated = () => requireStillActivated(context)
  return whileActivated(activated, signal, (stop) => callProvider(context, grant, tool, payload, stop))
}

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
async function requireStillActivated(context: Asking<Effect>): Promise<void> {
  const { hub, vault_id } = context
  const later = { ...context, rules: hub.rulesOf(vault_id), db: hub.db, now: hub.system.now() }
  await requireActivated(later, ['gate', ...USE])
}

/** Whether the payload fits the tool's declared schema; without one any object does. */
function isPayloadFor(tool: AllowedTool, payload: Record<string, unknown>): boolean {
  return tool.input_schema === undefined || compilePayloadCheck(tool.input_schema)(payload)
}
