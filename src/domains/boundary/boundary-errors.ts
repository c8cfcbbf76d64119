import { errorTable } from '../../operations/errors.ts'

/** What boundary and ledger operations may refuse with. The texts name no tenant, id or value. */
export const boundaryErrors = errorTable({
  VALIDATION_ERROR: { status: 400, message: 'The input is not as the contract wants.' },
  SNAPSHOT_EMPTY: { status: 400, message: 'The snapshot holds nothing.' },
  MISSING_LINEAGE: {
    status: 400,
    message: 'The ledger has no such entries of this tenant as of the moment of the snapshot.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    message: 'This execution was submitted before with something else. Use a new executionId.',
  },
  unknown_engine: { status: 404, message: 'unknown_engine' },
  unknown_execution: { status: 404, message: 'unknown_execution' },
  EXECUTION_ENDED: { status: 409, message: 'The execution has ended already.' },
  unknown_tenant: { status: 404, message: 'unknown_tenant' },
  unknown_ledger_entry: { status: 404, message: 'unknown_ledger_entry' },
  unknown_dead_letter: { status: 404, message: 'unknown_dead_letter' },
})
