import {
  type AuditOutcome,
  type AuditRecord,
  type CallReferences,
  NO_REFERENCES,
} from '../platform/audit/audit-record.ts'
import { type CallState, requestIdOf } from './call.ts'
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
    at: state.now.toISOString(),
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
    ...referencesOf(state),
  }
}

/** A seat is the caller's own, unless the call is made for a grant. */
function referencesOf(state: CallState): CallReferences {
  const { call, references } = state
  // Whoever calls a tool for a grant, and whoever is told the id by the contract, finds the record by it.
  if (call.operation.references || call.operation.contract?.forStrangers) requestIdOf(state)
  const { request_id } = state
  const { caller } = call
  const told = { ...NO_REFERENCES, ...call.references, ...references, request_id: request_id ?? null }
  if (caller.seat && told.grant_id === null) told.seat_id = caller.id
  return told
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
