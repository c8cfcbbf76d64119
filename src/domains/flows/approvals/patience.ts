import type { Context, Effect } from '../../../operations/define-operation.ts'

/** What programs wait at least for an answer, where nobody says otherwise. */
const USUAL_SECONDS = 50
const LONGEST_SECONDS = 240
/** Programs that are known to wait longer, as the audit log names them. */
const PATIENT: ReadonlySet<string> = new Set(['claude-code', 'codex', 'cursor', 'vscode'])

/** How long the call of this caller is held. */
export function patienceOf({
  patience_seconds,
  caller,
  hub,
}: Pick<Context<unknown, never, Effect>, 'patience_seconds' | 'caller' | 'hub'>): number {
  if (patience_seconds !== undefined) return Math.min(patience_seconds, LONGEST_SECONDS)
  const { hold_seconds } = hub.config.approvals
  return hold_seconds ?? (PATIENT.has(caller.client) ? LONGEST_SECONDS : USUAL_SECONDS)
}
