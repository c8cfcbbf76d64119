import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { APPROVAL_TELLER, type CallApproval } from '../../../platform/approvals/approval.ts'
import { endOverdue, markTold } from '../../../platform/approvals/approval-moves.ts'
import { listUntold } from '../../../platform/approvals/approval-reads.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { type Caller, type CallerKind, localCaller } from '../../../platform/identity/caller.ts'
import { appendEvent } from '../spine/spine-store.ts'
import type { EventType } from '../subscriptions/event-types.ts'
import { publishEvent } from '../subscriptions/publish.ts'

const AT_ONCE = 50
const LOOK_EVERY_MS = 2_000

type Untold = CallApproval & { told: number }

/** Tells of requests, in a hub that serves: soon after they came or ended, and at the latest when it looks. */
function openTeller(hub: Hub) {
  let looking: Promise<void> | undefined
  const look = () => (looking ??= tellAll(hub).finally(() => (looking = undefined)))
  // Who is woken while it looks may have come too late for that look.
  const wake = () =>
    void (looking ?? Promise.resolve())
      .then(look)
      .catch((error: unknown) => reportFault(hub.log, APPROVAL_TELLER, error))
  hub.workers.set(APPROVAL_TELLER, { wake })
  hub.closing.push(async () => void (await looking?.catch(() => {})))
  return { look }
}

async function tellAll(hub: Hub): Promise<void> {
  await hub.db.transaction((tx) => endOverdue(tx, hub.system.now()))
  for (;;) {
    const untold = await listUntold(hub.db, AT_ONCE)
    for (const one of untold) if (!hub.stopping.signal.aborted) await tell(hub, one)
    if (untold.length < AT_ONCE || hub.stopping.signal.aborted) return
  }
}

/** To subscribers and to the owner's record, both or neither; of two hubs that look at once one does it. */
async function tell(hub: Hub, one: Untold): Promise<void> {
  const { type, at, caller } = eventOf(one)
  const { approval_id, vault_id, tool_id, grant_id, flow_id, flow_version, state, expires_at, client } = one
  const decision = type === 'approval.decided' && { decision: state === 'denied' ? 'deny' : 'approve' }
  const data = {
    approval_id,
    vault_id,
    tool_id,
    grant_id,
    flow_id,
    flow_version,
    client,
    expires_at,
    at,
    ...decision,
  }
  const request_id = `req_${hub.system.random(8)}`
  const call = { caller, vault_id, surface: 'rest' as const, now: hub.system.now(), request_id }
  const object = { type: 'call_approval', id: approval_id }
  await hub.db.transaction(async (tx) => {
    if (!(await markTold(tx, one))) return
    await publishEvent(tx, hub, { type, subject: approval_id, data })
    const event = { event: type, operation: type, object, selector: undefined, error: undefined }
    await appendEvent(tx, hub, call, { ...event, data })
  })
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
    run: (hub: Hub) => partOf(hub, openTeller).look(),
  },
]
