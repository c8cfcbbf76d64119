import type { CallerKind } from '../identity/caller.ts'
import type { Transaction } from '../storage/database.ts'

/**
 * `waiting` for the owner; `approved` and not begun; `executing`; then `executed`, `failed` (the tool refused), or `unknown`
 * (begun, and nobody knows how it ended: it is not repeated). `denied` and `expired` were never begun.
 */
export const APPROVAL_STATES = [
  'waiting',
  'approved',
  'executing',
  'executed',
  'failed',
  'unknown',
  'denied',
  'expired',
] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

/** When a tool asks: at each call, or at the first one of a grant with arguments of that shape. */
export type ApprovalMode = 'each_call' | 'first_call'

/** How far the owner's yes reaches. */
export type ApprovalReach = 'call' | 'grant'

/** What exactly would be carried out. */
export interface AskedCall {
  readonly vault_id: string
  readonly grant_id: string
  readonly flow_id: string
  readonly flow_version: string
  readonly tool_id: string
  readonly policy_revision: string
  readonly mode: ApprovalMode
  /** Over all of it, the arguments included: two calls with one digest are the same call. */
  readonly digest: string
  readonly grant_ends_at: string
  /** Over the names and kinds of the arguments alone. */
  readonly shape: string
}

/** A request for the owner's word, as it lies in the store. */
export interface CallApproval extends AskedCall {
  readonly approval_id: string
  readonly caller_kind: CallerKind
  readonly caller_id: string
  readonly client: string
  readonly arguments_bytes: number
  readonly arguments_sealed: string | null
  readonly state: ApprovalState
  readonly created_at: string
  /** Until when it can be decided; once approved, until when it has to begin. */
  readonly expires_at: string
  readonly decided_at: string | null
  readonly decided_by: string | null
  readonly decided_for: ApprovalReach | null
  readonly reason: string | null
  readonly fence: number
  readonly lease_until: string | null
  readonly ended_at: string | null
  /** Why the tool refused. */
  readonly result_code: string | null
  /** What the tool answered, for whoever calls again soon; null where it was too large. */
  readonly result_sealed: string | null
}

/** Whoever tells of requests that came or ended is woken by this name, where there is one. */
export const APPROVAL_TELLER = 'approval_events'

interface Wakeable {
  readonly workers: Map<string, { wake(): void }>
}

/** Has the owner's phone ring as soon as the transaction is kept. A command line leaves it to the hub that serves. */
export function wakeTeller(tx: Transaction, { workers }: Wakeable): void {
  tx.afterCommit(() => workers.get(APPROVAL_TELLER)?.wake())
}

/** Where the sealed parts of a request belong. */
export const argumentsOf = (approval_id: string) => ({ id: approval_id, field: 'arguments' })
export const resultOf = (approval_id: string) => ({ id: approval_id, field: 'result' })
