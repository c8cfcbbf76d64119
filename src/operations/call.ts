import type { CallReferences } from '../platform/audit/audit-record.ts'
import type { Caller } from '../platform/identity/caller.ts'
import type { VaultRules } from '../platform/policy/policies.ts'
import type { EndedCall } from './contract.ts'
import type { Operation, Presented, Surface, Target, TellProgress } from './define-operation.ts'
import type { Refusal } from './errors.ts'
import type { Hub } from './hub.ts'
import type { Presence } from './presence.ts'

/** One call, as a surface hands it over. */
export interface Call {
  readonly operation: Operation
  readonly surface: Surface
  readonly caller: Caller
  /** Where the call came from, for the limit on failed authentications. */
  readonly address: string
  /** What the vault header or flag said; nothing means the vault `default`. */
  readonly vault: string | undefined
  readonly input: unknown
  /** Why the surface may not take the call at all, such as a foreign host. */
  readonly refused?: Refusal
  /** Why the surface could not read the input: told where an input is looked at, after what is shut or locked. */
  readonly unread?: Refusal
  readonly presented?: Presented
  readonly hosted?: boolean
  /** The checked address under which the caller reached the hub. */
  readonly origin?: string
  /** What shows that the owner is there in person, at the command line. */
  readonly presence?: Presence | undefined
  /** How long the caller would wait for a person; undefined where it has not said. */
  readonly patience_seconds?: number | undefined
  /** Tells the caller that its call goes on, where it wants to hear so. */
  readonly progress?: TellProgress | undefined
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
  /** The trace that the caller says it belongs to. A claim: it decides nothing. */
  readonly traceparent?: string | undefined
  /** The grant that it is made for, where that is not the caller's own to present. */
  readonly references?: Partial<CallReferences>
  /** Asks again whether the caller's credential counts, while an act is under way. */
  readonly stillCounts?: () => Promise<boolean>
}

/** The finished answer: `text` is the JSON document that every surface passes on unchanged. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly text: string
  readonly code: string | null
  readonly retry_after_seconds: number | undefined
  /** What the call is known by, where its contract tells callers so. */
  readonly request_id?: string | undefined
}

/** What the pipeline has worked out of a call so far. */
export interface CallState {
  readonly hub: Hub
  readonly call: Call
  readonly started: number
  now: Date
  vault_id: string
  rules: VaultRules | undefined
  input: unknown
  text: string
  /** Where it is not that of the operation. */
  status?: number
  retry_after_seconds?: number
  /** What its record says beside that it was let through. */
  mark: string | null
  notes: { event: string; target: Target }[]
  /** What the handler has found out of the grant that the call was made with. */
  references: Partial<CallReferences>
  /** Made when it is first asked for: most calls go without. */
  request_id: string | undefined
}

/** What a call is known by, the same whenever it is asked. */
export function requestIdOf(state: CallState): string {
  return (state.request_id ??= `req_${state.hub.system.random(8)}`)
}

/** The trace that a call begins: no other hub takes part in it, so it follows from the call's own id. */
export function traceIdOf(request_id: string): string {
  return request_id.replace(/^req_/, 'trc_')
}

/** A call as the contract it falls under may know it. */
export function endedCall(state: CallState): EndedCall {
  const { hub, call, vault_id, input, started, now } = state
  const { operation, caller, surface, input: sent } = call
  const requestId = () => requestIdOf(state)
  return { hub, operation, caller, vault_id, surface, input, sent, started, now, requestId }
}
