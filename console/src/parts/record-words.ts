import type { AuditRecord } from './bars'
import { shortId } from './id'

const TOOL_CALL = 'flow_external_tool_invoke'

/** Who made a call, as a person would say it: by the owner's name for it, where there is one. */
export function callerWords(
  { caller_kind, caller_id }: AuditRecord,
  labels: Readonly<Record<string, string>>,
): string {
  if (caller_kind === 'owner_session') return 'you'
  if (caller_kind === 'local') return 'the command line'
  if (caller_kind === 'hub') return 'the hub token'
  return caller_kind === 'anonymous' ? 'a stranger' : (labels[caller_id] ?? wordOf(caller_id))
}

const MADE_ID = /^[a-z]+_[0-9a-z]{12,}$/

function wordOf(id: string): string {
  return MADE_ID.test(id) ? shortId(id) : id
}

/** What was done, and to what. */
export function deedOf(
  { operation, target_id }: AuditRecord,
  labels: Readonly<Record<string, string>>,
): {
  verb: string
  what: string
  on: string | null
} {
  if (operation === TOOL_CALL) return { verb: 'called', what: target_id ?? 'an unlisted tool', on: null }
  const on = target_id === null ? null : (labels[target_id] ?? wordOf(target_id))
  return { verb: '', what: operation, on }
}

export function isToolCall({ operation }: AuditRecord): boolean {
  return operation === TOOL_CALL
}

/** What a refusal means, for the codes that a person meets most. Any other is shown as it is. */
const MEANINGS: Readonly<Record<string, string>> = {
  FLOW_EXTERNAL_GRANT_TOOL_DENIED: 'the tool is not in its grant',
  FLOW_EXTERNAL_TOOL_DENIED: 'the policy does not list the tool',
  FLOW_EXTERNAL_GRANT_EXPIRED: 'the grant has expired',
  FLOW_EXTERNAL_GRANT_REVOKED: 'the grant was revoked',
  FLOW_EXTERNAL_GRANT_DENIED: 'the grant does not count',
  FLOW_EXTERNAL_GRANT_FLOW_MISMATCH: 'the grant is for another flow or version',
  FLOW_EXTERNAL_AGENT_DISABLED: 'the gate for external agents is closed',
  FLOW_EXTERNAL_PROVIDER_FAILED: 'the tool failed',
  FLOW_EXTERNAL_PROVIDER_TIMEOUT: 'the tool took too long',
  FLOW_EXTERNAL_APPROVAL_DENIED: 'you said no',
  FLOW_EXTERNAL_APPROVAL_EXPIRED: 'nobody answered in time',
  UNAUTHENTICATED: 'no credential that counts',
  FORBIDDEN: 'its role does not allow it',
  RATE_LIMITED: 'too many calls',
  LOCKED: 'it is stopped',
  SecurityError: 'it leads outside of what the seat may see',
}

export function meaningOf(code: string | null): string {
  return code === null ? '' : (MEANINGS[code] ?? code)
}
