import { errorTable } from '../../operations/errors.ts'

/** What flow operations may refuse with. The texts name no flow, vault, scope or tool. */
export const flowErrors = errorTable({
  unknown_flow: { status: 404, message: 'unknown_flow' },
  FLOW_DRAFT_INVALID: { status: 400, message: 'The bundle is not a valid flow.' },
  FLOW_HARNESS_UNSUPPORTED: { status: 400, message: 'This harness is not served.' },
  FLOW_SCOPE_AMBIGUOUS: { status: 400, message: 'The scope of the caller cannot be told.' },
  FLOW_SCOPE_DENIED: { status: 403, message: 'The caller has no authority over this scope.' },
})
