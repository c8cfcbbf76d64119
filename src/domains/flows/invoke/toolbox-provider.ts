import type { Hub } from '../../../operations/hub.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { toolboxCaller } from '../../../platform/identity/caller.ts'
import { resolveSeat, SeatInvalid } from '../../../platform/identity/resolve-seat.ts'
import type { ToolboxProvider } from '../../../platform/upstream/provider-policy.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'
import { referencesOf } from '../grants/check-grant.ts'
import type { Grant } from '../grants/grant-record.ts'

/**
 * Calls a tool of the toolbox on behalf of a grant, as an agent at the seat that the policy names. It is a
 * governed call of its own, with its own record; the grant is the agent, so it can be locked and is counted.
 */
export async function callToolbox(
  hub: Hub,
  grant: Grant,
  { tool, project, service, role }: ToolboxProvider,
  payload: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const { grant_id, vault_id } = grant
  const operation = await hub.findOperation(tool)
  if (operation?.authority.kind !== 'seat') throw new UpstreamFailure('not_available', false)
  const seat = requireSeat({ project, service, role, agent_id: grant_id })
  const answer = await runOperation(hub, {
    operation,
    surface: 'mcp',
    caller: toolboxCaller(grant_id, vault_id, seat, 'knowtation'),
    address: 'local',
    vault: vault_id,
    input: payload,
    references: referencesOf(grant),
    signal,
  })
  const content = [{ type: 'text', text: answer.text }]
  return answer.ok ? { content, structuredContent: JSON.parse(answer.text) } : { content, isError: true }
}

function requireSeat(wanted: Parameters<typeof resolveSeat>[0]) {
  try {
    return resolveSeat(wanted)
  } catch (error) {
    if (error instanceof SeatInvalid) throw new UpstreamFailure('not_available', false)
    throw error
  }
}
