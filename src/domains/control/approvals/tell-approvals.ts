import type { Hub } from '../../../operations/hub.ts'
import { APPROVAL_TELLER, type CallApproval } from '../../../platform/approvals/approval.ts'
import { endOverdue, markTold } from '../../../platform/approvals/approval-moves.ts'
import { listUntold } from '../../../platform/approvals/approval-reads.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { type Caller, type CallerKind, localCaller } from '../../../platform/identity/caller.ts'
import { LOOK_EVERY_MS, openTeller } from '../spine/teller.ts'
import type { EventType } from '../subscriptions/event-types.ts'

type Untold = CallApproval & { told: number }

function openApprovalTeller(hub: Hub) {
  const prepare = () => hub.db.transaction((tx) => endOverdue(tx, hub.system.now()))
  return openTeller(hub, { name: APPROVAL_TELLER, prepare, list: listUntold, mark: markTold, describe })
}

function describe(one: Untold) {
  const { type, at, caller } = eventOf(one)
  const { approval_id, vault_id, tool_id, grant_id, flow_id, flow_version, state, expires_at, client } = one
  const decision = type === 'approval.decided' && { decision: state === 'denied' ? 'deny' : 'approve' }
  const asked = { approval_id, vault_id, tool_id, grant_id, flow_id, flow_version, client, expires_at }
  return {
    type,
    caller,
    vault_id,
    object: { type: 'call_approval', id: approval_id },
    data: { ...asked, at, ...decision },
  }
}

/** What is to be told next, and whose doing it was. */
function eventOf(one: Untold): { type: EventType; at: string; caller: Caller } {
  const { told, created_at, caller_kind, caller_id, client, decided_by, decided_at, ended_at } = one
  if (told === 0)
    return { type: 'approval.requested', at: created_at, caller: callerOf(caller_kind, caller_id, client) }
  if (decided_by === null || decided_at === null)
    return { type: 'approval.expired', at: ended_at ?? one.expires_at, caller: localCaller('knowtation') }
  const [kind = 'local', id = 'local'] = decided_by.split(':')
  return { type: 'approval.decided', at: decided_at, caller: callerOf(kind as CallerKind, id, 'knowtation') }
}

function callerOf(kind: CallerKind, id: string, client: string): Caller {
  return { kind, id, role: 'viewer', vaults: '*', client }
}

export const approvalChores = [
  {
    name: 'tell of calls that wait for the owner',
    every_ms: LOOK_EVERY_MS,
    run: (hub: Hub) => partOf(hub, openApprovalTeller).look(),
  },
]
