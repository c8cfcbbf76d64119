import type { LedgerRow } from '../../src/domains/boundary/ledger/ledger-record.ts'

/** An entry as it lies in the store, outside of any chain: for what only counts or draws. */
export function ledgerRow(number: number, more: Partial<LedgerRow> = {}): LedgerRow {
  return {
    vault_id: 'default',
    tenant_id: 'shop',
    seq: number,
    id: `led_${String(number).padStart(32, '0')}`,
    robot_id: null,
    module: 'marketing',
    source: 'planner',
    type: 'signal',
    state: 'final',
    payload_json: '{"text":"words"}',
    depends_on_json: '[]',
    execution_id: null,
    event_key: null,
    created_at: '2026-11-01T12:00:00.000Z',
    hash: '0'.repeat(64),
    ...more,
  }
}
