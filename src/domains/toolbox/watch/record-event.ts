import type { Hub } from '../../../operations/hub.ts'
import { hubRecord } from '../../../operations/hub-record.ts'
import { type AlertState, noteViolation } from '../../../platform/alerts/alert-store.ts'
import { storeEvent } from '../../../platform/alerts/event-store.ts'
import type { EventKind, KeptEvent, Severity } from '../../../platform/alerts/security-event.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { Violation } from '../tool-fault.ts'
import { oneLine, safeArguments, safeText } from './safe-text.ts'

const PATH_CHARS = 1_024
export const AGENT_ID_CHARS = 128
const TYPE = /^[a-z][a-z0-9_]{0,63}$/

/** What happened, as the tools tell it; nothing in it has been made safe yet. */
export interface ToolEvent extends Violation {
  readonly vault_id: string
  readonly agent_id: string
  readonly severity?: Severity
}

/** Writes any event of the security stream. It ends no call: the agent is only watched more closely. */
export async function recordEvent(
  hub: Hub,
  tx: Transaction | undefined,
  redactor: Redactor,
  event: ToolEvent & { readonly kind: EventKind },
): Promise<AlertState> {
  const kept = safeEvent(redactor, event, hub.system.now())
  const state = await (tx ? recordIn(hub, tx, kept) : hub.db.transaction((own) => recordIn(hub, own, kept)))
  const { agent_id, vault_id } = kept
  if (state === 'raised')
    hub.log.warn({ agent_id, vault_id }, 'alert mode: an agent keeps going against the rules')
  return state
}

async function recordIn(hub: Hub, tx: Transaction, event: KeptEvent): Promise<AlertState> {
  const count = await storeEvent(tx, hub, event)
  if (event.kind !== 'violation') return 'none'
  const state = await noteViolation(tx, event, count)
  if (state === 'raised') {
    const about = { kind: 'agent', id: event.agent_id }
    await hub.audit.appendIn(tx, [hubRecord(hub, 'toolbox_alert_raised', event.vault_id, about)])
  }
  return state
}

function safeEvent(
  redactor: Redactor,
  event: ToolEvent & { readonly kind: EventKind },
  now: Date,
): KeptEvent {
  const { target_path, violation_type } = event
  return {
    vault_id: event.vault_id,
    kind: event.kind,
    timestamp: now.toISOString(),
    // An id is no secret, and a mark in its place would make all agents one.
    agent_id: oneLine(event.agent_id, AGENT_ID_CHARS),
    violation_type: TYPE.test(violation_type) ? violation_type : 'other',
    target_path: target_path === null ? null : safeText(redactor, target_path, PATH_CHARS),
    command_args: safeArguments(redactor, event.command_args),
    severity: event.severity ?? 'WARNING',
  }
}
