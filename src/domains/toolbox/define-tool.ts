import type { z } from 'zod'
import { seated } from '../../operations/authority.ts'
import {
  ActOutside,
  type Context,
  defineOperation,
  type Effect,
  type Operation,
} from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'
import { checkStillUnlocked } from '../../operations/watch-acts.ts'
import { boundedCache } from '../../platform/basics/cache.ts'
import { partOf } from '../../platform/basics/part-of.ts'
import { windowCounter } from '../../platform/identity/rate-limits.ts'
import { recordCritical } from './critical-event.ts'
import { withMeant } from './files/missing-file.ts'
import { knownHitsOf } from './known-hits.ts'
import { strictPolicy } from './policy/follow-project-policy.ts'
import type { ProjectPolicy } from './policy/project-policy.ts'
import { toolResult } from './result-contract.ts'
import type { ToolCall, ToolDeclaration } from './tool.ts'
import { toolContract } from './tool-contract.ts'
import { SUGGESTIONS, TOOL_ERRORS } from './tool-errors.ts'
import { ToolFault } from './tool-fault.ts'
import { contextOf, type Workshop, workshopOf } from './workshop.ts'

/** Limits that are counted at once; projects have few different ones. */
const LIMITS_KEPT = 100

/** Makes a tool an operation: the same pipeline, audit log and surfaces as everything else. */
export function defineTool<Input extends z.ZodObject, Output, Ready>(
  tool: ToolDeclaration<Input, Output, Ready>,
): Operation {
  return defineOperation({
    name: tool.name,
    summary: firstSentence(tool.description),
    description: tool.description,
    effect: tool.effect,
    idempotent: tool.idempotent ?? (tool.effect === 'read' || tool.effect === 'delete'),
    authority: seated(tool.required_role ? [tool.required_role] : tool.roles, 'PermissionDenied'),
    rest: `POST /api/v1/tools/${tool.name}`,
    mcp: true,
    cli: `tool call ${tool.name}`,
    errors: TOOL_ERRORS,
    whenInvalid: 'ValidationError',
    outward: true,
    openWorld: tool.open_world ?? false,
    contract: toolContract(tool),
    input: tool.input,
    // The handler gives the data alone; the contract puts the result around it.
    output: toolResult(tool.output) as z.ZodType<unknown, unknown>,
    handle: async (given) => handleCall(tool, given as unknown as CallContext<z.output<Input>>),
  })
}

type CallContext<Input> = Context<Input, string, Effect>

async function handleCall<Input extends z.ZodObject, Output, Ready>(
  tool: ToolDeclaration<Input, Output, Ready>,
  context: CallContext<z.output<Input>>,
): Promise<Output | ActOutside<Output>> {
  const call = prepareCall(tool, context)
  const withGuard = <Result>(work: (call: ToolCall<z.output<Input>>) => Promise<Result>) =>
    workshopOf(context.hub).useGuard(call.context, call.policy, (guard) =>
      work({ ...call, guard }).catch((error: unknown) => {
        throw withMeant({ ...call, guard }, error)
      }),
    )
  return withGuard(async (now) => {
    checkAgentRate(context.hub, now)
    await tool.check?.(now)
    const prepared = await tool.prepare?.(now)
    const ready = prepared as Ready
    const close = async () => prepared?.close()
    try {
      if (prepared) await checkStillUnlocked(context.hub, context.caller)
      await recordCritical(tool, now, context.vault_id)
    } catch (error) {
      await close()
      throw error
    }
    if (tool.effect === 'read') return tool.handle(now, ready)
    const perform = (signal: AbortSignal) =>
      withGuard(async (later) => tool.handle({ ...later, signal }, ready)).finally(close)
    return new ActOutside(perform, undefined, close)
  })
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text
}

function prepareCall<Input>(
  { name, mends_policy }: { name: string; mends_policy?: boolean },
  context: CallContext<Input>,
): Omit<ToolCall<Input>, 'guard'> {
  const { hub, caller, input, now, signal } = context
  const workshop = workshopOf(hub)
  const project_root = caller.seat?.project_root ?? ''
  const policy = mends_policy ? mendablePolicy(workshop, project_root) : workshop.policyOf(project_root)
  const place = contextOf(caller, policy)
  return {
    input,
    context: place,
    policy,
    patterns: workshop.patterns,
    sandbox: workshop.sandbox,
    redactor: workshop
      .redactorOf(name, policy, place.access_token)
      .noting(knownHitsOf(hub, context.vault_id, place.agent_id).note),
    hub,
    now,
    signal,
  }
}

function mendablePolicy(workshop: Workshop, project_root: string): ProjectPolicy {
  try {
    return workshop.policyOf(project_root)
  } catch (error) {
    if (error instanceof ToolFault && error.code === 'ConfigDamaged') return strictPolicy(project_root)
    throw error
  }
}

/** A counter of calls for each limit. */
const openCounters = ({ system }: Hub) =>
  boundedCache(LIMITS_KEPT, (limit) => windowCounter(Number(limit), system.now))

/** Refuses a call of an agent that has had more in this minute than its project allows. */
function checkAgentRate(hub: Hub, { context, policy }: ToolCall<unknown>): void {
  const limit = policy.calls_per_minute
  if (limit === undefined) return
  const wait = partOf(hub, openCounters)(String(limit))(`${context.project_root}|${context.agent_id}`)
  if (wait === 0) return
  const message = `This agent may make ${limit} calls a minute; wait ${wait} s.`
  throw new ToolFault('RateLimitExceeded', message, SUGGESTIONS.RateLimitExceeded, {
    retry_after_seconds: wait,
  })
}
