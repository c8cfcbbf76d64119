import type { Caller } from '../platform/identity/caller.ts'
import type { VaultRules } from '../platform/policy/policies.ts'
import type { EndedCall, Operation, Presented, Surface, Target } from './define-operation.ts'
import type { Refusal } from './errors.ts'
import type { Hub } from './hub.ts'

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
  /** Trouble the surface had before the input was whole: an unreadable body, a foreign host. */
  readonly refused?: Refusal
  readonly presented?: Presented
  readonly hosted?: boolean
  /** The checked address under which the caller reached the hub. */
  readonly origin?: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}

/** The finished answer: `text` is the JSON document that every surface passes on unchanged. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly text: string
  readonly code: string | null
  readonly retry_after_seconds: number | undefined
}

/** What the pipeline has worked out of a call so far. */
export interface CallState {
  readonly hub: Hub
  readonly call: Call
  readonly started: number
  readonly now: Date
  vault_id: string
  rules: VaultRules | undefined
  input: unknown
  text: string
  notes: { event: string; target: Target }[]
}

/** A call as the contract it falls under may know it. */
export function endedCall({ hub, call, vault_id, input, started, now }: CallState): EndedCall {
  return { hub, operation: call.operation, caller: call.caller, vault_id, input, started, now }
}
