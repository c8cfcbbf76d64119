import type { Context, Effect } from '../../../operations/define-operation.ts'
import { REDACTED } from '../../../platform/upstream/redact-values.ts'
import { withReadableContent } from '../../../platform/upstream/tool-answer.ts'
import type { CallOptions } from '../../../platform/upstream/upstream.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'
import type { AllowedTool } from '../allowlist.ts'
import type { Grant } from '../grants/grant-record.ts'
import { returnInvocation } from '../grants/grant-store.ts'
import { closeTool } from '../pins/close-tool.ts'
import { pinVet } from '../pins/pin-vet.ts'
import { pinnedTool } from '../pins/pinned-tools.ts'
import { watchListings } from '../pins/watch-listings.ts'
import { isOverBudget } from './call-budgets.ts'
import { passProgress } from './pass-progress.ts'
import { callToolbox } from './toolbox-provider.ts'

type Code = 'FLOW_EXTERNAL_TOOL_DENIED' | 'FLOW_EXTERNAL_PROVIDER_FAILED' | 'FLOW_EXTERNAL_PROVIDER_TIMEOUT'
type Asking = Context<unknown, Code, Effect>

/** A tool that has something behind it. */
export type ProvidedTool = AllowedTool & { provider: NonNullable<AllowedTool['provider']> }

export function isProvided(tool: AllowedTool): tool is ProvidedTool {
  return tool.provider !== undefined
}

/**
 * Calls the tool behind the grant. Whatever goes wrong there becomes one of two codes and tells nothing
 * more; a call that never left the hub is taken off the grant's count again.
 */
export async function callProvider(
  context: Asking,
  grant: Grant,
  tool: ProvidedTool,
  payload: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const { hub, refuse } = context
  const passed = passProgress(context, tool.redaction_exceptions)
  const pinned = pinnedTool(grant.vault_id, tool)
  const checked = pinned && { tool: pinned, ...pinVet(hub, pinned.pin) }
  if (checked) watchListings(hub)
  try {
    const told = { vet: checked?.vet, onProgress: passed.onProgress }
    const answer = await askProvider(hub, grant, tool, payload, { signal, ...told })
    if (!isOverBudget(answer, 'max_result_bytes', tool, context)) return answer
    throw new UpstreamFailure('too_large', true)
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    const { reason, status, sent } = error
    hub.log.warn({ tool: tool.id, reason, ...(status && { status }), sent }, 'tool provider failed')
    const objection = checked?.objectionIn(error)
    if (!error.sent || objection)
      await hub.db.transaction(async (tx) => {
        if (checked && objection) await closeTool(tx, hub, checked.tool, objection)
        if (!error.sent) await returnInvocation(tx, grant.grant_id)
      })
    if (objection) return refuse('FLOW_EXTERNAL_TOOL_DENIED')
    return refuse(
      error.reason === 'timeout' ? 'FLOW_EXTERNAL_PROVIDER_TIMEOUT' : 'FLOW_EXTERNAL_PROVIDER_FAILED',
    )
  } finally {
    passed.end()
  }
}

async function askProvider(
  hub: Asking['hub'],
  grant: Grant,
  { provider, redaction_exceptions }: ProvidedTool,
  payload: Record<string, unknown>,
  options: CallOptions & { signal: AbortSignal },
): Promise<unknown> {
  if (provider.kind === 'toolbox') return callToolbox(hub, grant, provider, payload, options.signal)
  return askOutside(hub, { provider, redaction_exceptions }, payload, options)
}

/** What a provider outside the hub answers, without what it must not tell. Throws an `UpstreamFailure`. */
export async function askOutside(
  hub: Asking['hub'],
  { provider, redaction_exceptions }: Pick<ProvidedTool, 'redaction_exceptions' | 'provider'>,
  payload: Record<string, unknown>,
  options: CallOptions,
): Promise<unknown> {
  const answer = await hub.upstreams.call(provider, payload, options)
  if (answer.kind === 'http') return hub.redactValue(answer, redaction_exceptions)
  const redacted = await hub.redactValue(answer.result, redaction_exceptions)
  return withReadableContent(redacted as object, REDACTED)
}
