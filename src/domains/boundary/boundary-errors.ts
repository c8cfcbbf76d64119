import { errorTable } from '../../operations/errors.ts'

/** What boundary and ledger operations may refuse with. The texts name no tenant, id or value. */
export const boundaryErrors = errorTable({
  VALIDATION_ERROR: {
    status: 400,
    message: 'The input is not as the contract wants.',
    hint: '`knowtation boundary check --input FILE` checks an input without a hub.',
  },
  SNAPSHOT_EMPTY: {
    status: 400,
    message: 'The snapshot holds nothing.',
    hint: 'Give --snapshot what the engine is to work with; it sees nothing else.',
  },
  MISSING_LINEAGE: {
    status: 400,
    message: 'The ledger has no such entries of this tenant as of the moment of the snapshot.',
    hint: '`knowtation ledger list` shows what there is, and since when; `knowtation ledger append` adds an entry for snapshots from then on.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    message: 'This execution was submitted before with something else. Use a new executionId.',
    hint: 'Use a new executionId, or a higher attempt after one that failed.',
  },
  unknown_engine: {
    status: 404,
    message: 'unknown_engine',
    says: 'There is no such engine here for this tenant and robot.',
    hint: '`knowtation boundary engines` lists them; they stand under engines in policy.yaml of the vault.',
  },
  unknown_execution: {
    status: 404,
    message: 'unknown_execution',
    says: 'There is no such execution here.',
    hint: '`knowtation boundary list` shows the executions.',
  },
  EXECUTION_ENDED: { status: 409, message: 'The execution has ended already.' },
  unknown_tenant: {
    status: 404,
    message: 'unknown_tenant',
    says: 'There is no ledger of this tenant here.',
    hint: '`knowtation ledger list` shows the entries with their tenants.',
  },
  unknown_ledger_entry: {
    status: 404,
    message: 'unknown_ledger_entry',
    says: 'There is no such ledger entry here.',
    hint: '`knowtation ledger list` shows the entries.',
  },
  unknown_dead_letter: {
    status: 404,
    message: 'unknown_dead_letter',
    says: 'There is no such dead letter here.',
    hint: '`knowtation boundary dead-letter list` shows them.',
  },
})
