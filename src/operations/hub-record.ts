import { type AuditRecord, NO_REFERENCES, NO_VAULT } from '../platform/audit/audit-record.ts'
import type { Target } from './define-operation.ts'
import type { Hub } from './hub.ts'

/** The record of something that the hub did by itself, without a call. */
export function hubRecord(
  { system }: Pick<Hub, 'system'>,
  operation: string,
  vault_id = NO_VAULT,
  target?: Target,
): AuditRecord {
  return {
    at: system.now().toISOString(),
    vault_id,
    surface: 'hub',
    caller_kind: 'hub',
    caller_id: 'hub',
    client: 'knowtation',
    operation,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    outcome: 'allowed',
    code: null,
    duration_us: 0,
    policy_revision: 'none',
    repeats: 1,
    ...NO_REFERENCES,
  }
}
