export const SEVERITIES = ['WARNING', 'CRITICAL'] as const
export type Severity = (typeof SEVERITIES)[number]

/**
 * `violation`: refused by the guard or the command whitelist, and counted for Alert Mode. `denied`: refused
 * for another reason. `done`: carried out, and on record because of what it is.
 */
export type EventKind = 'violation' | 'denied' | 'done'

/** One event of the security stream, in the contract's fields. */
export interface SecurityEvent {
  readonly timestamp: string
  readonly agent_id: string
  readonly violation_type: string
  readonly target_path: string | null
  readonly command_args: readonly string[]
  readonly severity: Severity
}

/** An event with what is needed to keep it. */
export interface KeptEvent extends SecurityEvent {
  readonly vault_id: string
  readonly kind: EventKind
}

/** An agent's violations are counted over this time. */
export const WINDOW_MS = 60_000
/** So many violations in the window are no alert yet; the next one is. */
export const TOLERATED_VIOLATIONS = 5
