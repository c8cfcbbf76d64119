import { type AuditRecord, NO_REFERENCES } from '../../src/platform/audit/audit-record.ts'

/** A record as a call leaves it, with what the test is about. */
export function auditRecord(about: Partial<AuditRecord> = {}): AuditRecord {
  return {
    at: '2026-11-01T12:00:00.000Z',
    vault_id: 'default',
    surface: 'rest',
    caller_kind: 'token',
    caller_id: 'tok_1',
    client: 'curl',
    operation: 'flow_get',
    target_kind: 'flow',
    target_id: 'flow_1',
    outcome: 'allowed',
    code: null,
    duration_us: 120,
    policy_revision: 'none',
    repeats: 1,
    ...NO_REFERENCES,
    ...about,
  }
}
