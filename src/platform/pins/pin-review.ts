import { hash } from 'node:crypto'
import type { Transaction } from '../storage/database.ts'
import type { Finding, ToolDefinition } from './tool-definition.ts'

/**
 * `open`: the owner has not looked yet. `accepted`: what was found is the reviewed definition now. `kept`: the one reviewed
 * before goes on counting. `returned`: what was missing is there again, as it was reviewed.
 */
export const REVIEW_STATES = ['open', 'accepted', 'kept', 'returned'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export const FINDINGS = ['changed', 'listed_twice', 'missing', 'unreadable'] as const satisfies Finding[]
export type ReviewFinding = (typeof FINDINGS)[number]

/** A pinned tool that its server defines otherwise than it was reviewed, as it lies in the store. */
export interface PinReview {
  readonly review_id: string
  readonly vault_id: string
  readonly tool_id: string
  /** What was reviewed. */
  readonly pin: string
  readonly finding: ReviewFinding
  readonly found_pin: string | null
  readonly found_json: string | null
  readonly state: ReviewState
  readonly opened_at: string
  readonly closed_at: string | null
  readonly decided_by: string | null
  readonly reason: string | null
}

/** Over all that the owner is asked about: a decision counts for just this. */
export function digestOf({ review_id, vault_id, tool_id, pin, finding, found_pin }: PinReview): string {
  return `sha256:${hash('sha256', JSON.stringify([review_id, vault_id, tool_id, pin, finding, found_pin]))}`
}

/**
 * Whether calls are refused because of it. What is missing cannot be called anyhow, and works again as soon as it is back
 * as it was reviewed: servers that start list nothing for a moment.
 */
export function closesTool({ state, finding }: PinReview): boolean {
  return state === 'open' && finding !== 'missing'
}

/** The definition that was found, where there is one. */
export function foundIn({ found_json }: PinReview): ToolDefinition | undefined {
  return found_json === null ? undefined : (JSON.parse(found_json) as ToolDefinition)
}

/** Whoever tells of reviews is woken by this name, where there is one. */
export const REVIEW_TELLER = 'pin_review_events'

interface Wakeable {
  readonly workers: Map<string, { wake(): void }>
}

/** Has the owner told as soon as the transaction is kept. A command line leaves it to the hub that serves. */
export function wakeReviewTeller(tx: Transaction, { workers }: Wakeable): void {
  tx.afterCommit(() => workers.get(REVIEW_TELLER)?.wake())
}
