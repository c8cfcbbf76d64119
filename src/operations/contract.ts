import type { z } from 'zod'
import type { Caller } from '../platform/identity/caller.ts'
import type { Operation, Surface } from './define-operation.ts'
import type { Refusal } from './errors.ts'
import type { Hub } from './hub.ts'

/** The form and the codes of a contract that has its own, instead of the hub's `{error, code}`. */
export interface Contract {
  /** Whether callers without a credential are told so in its form too, instead of the hub's own. */
  readonly forStrangers?: boolean
  /** The form of its refusals, for the description of the surface; it has a name of its own. */
  readonly refusals?: z.ZodType
  /** What an error of the handler's means, as one of the operation's codes; undefined for one it does not know. */
  toRefusal(error: unknown): Refusal | undefined
  /** The finished answer around a handler's output. */
  renderSuccess(ended: EndedCall, output: unknown): Promise<string>
  /** The finished answer for a call that is not carried out. */
  renderRefusal(ended: EndedCall, refusal: Refusal, text: string): Promise<string>
  /** Keeps what the contract wants recorded of a refusal, beside its audit record. */
  onRefused(ended: EndedCall, refusal: Refusal): Promise<void>
}

/** What a contract may know of a call when it renders or records its end. */
export interface EndedCall {
  readonly hub: Hub
  readonly operation: Operation
  readonly caller: Caller
  readonly vault_id: string
  readonly surface: Surface
  /** As it was checked; undefined where the call did not come that far. */
  readonly input: unknown
  /** As it was sent. Nothing of it may be believed or kept that has not been checked. */
  readonly sent: unknown
  readonly started: number
  readonly now: Date
  /** What the call is known by in its answer and its records. */
  requestId(): string
}
