import type { AuditOutcome, AuditRecord } from '../platform/audit/audit-record.ts'
import type { CallState } from './call.ts'
import type { Target } from './define-operation.ts'

/** The record of a call: who, what, about which thing, and how it ended. Inputs and outputs have no place in it. */
export function recordOf(
  state: CallState,
  outcome: AuditOutcome,
  code: string | null,
  made?: Target,
): AuditRecord {
  const { call } = state
  const about =
    state.input === undefined || !state.rules
      ? undefined
      : call.operation.target?.(state.input as never, state.rules)
  const target = made ?? about
  return {
    at: momentOf(state.now),
    vault_id: state.vault_id,
    surface: call.surface,
    caller_kind: call.caller.kind,
    caller_id: call.caller.id,
    client: call.caller.client,
    operation: call.operation.name,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    outcome,
    code,
    duration_us: Math.round((performance.now() - state.started) * 1_000),
    policy_revision: state.rules?.revision ?? 'none',
    repeats: 1,
  }
}

// Many calls fall into one millisecond, whose text need not be made for each.
let last = { time: Number.NaN, text: '' }

function momentOf(now: Date): string {
  const time = now.getTime()
  if (time !== last.time) last = { time, text: now.toISOString() }
  return last.text
}

/** Records of what else happened on the way, in the act's own transaction. */
export function notesOf(state: CallState, record: AuditRecord): AuditRecord[] {
  return state.notes.map(({ event, target }) => ({
    ...record,
    operation: event,
    target_kind: target.kind,
    target_id: target.id,
  }))
}
