import { StorageDamaged, StorageUnavailable } from '../platform/storage/database.ts'
import type { Answer, CallState } from './call.ts'
import { recordOf } from './call-record.ts'
import { COMMON_ERRORS, type ErrorDefinition, Refusal } from './errors.ts'
import { isDeclared } from './registry.ts'
import { reportFault } from './report-fault.ts'

/** Ends a call that is not carried out: a declared code, a constant text, and its record. */
export async function refuseCall(state: CallState, error: unknown): Promise<Answer> {
  const refusal = toRefusal(state, error)
  const outcome = definitionOf(state, refusal).status >= 500 ? 'failed' : 'denied'
  const record = recordOf(state, outcome, refusal.code)
  state.hub.observe(record)
  try {
    await state.hub.refusals.append(record)
    return renderRefusal(state, refusal)
  } catch (failure) {
    reportFault(state.hub.log, state.call.operation.name, failure)
    const damaged = failure instanceof StorageDamaged
    return renderRefusal(state, new Refusal(damaged ? 'RUNTIME_ERROR' : 'STORAGE_UNAVAILABLE'))
  }
}

/** Whatever goes wrong becomes a declared code; the rest is ours to mend and only our log hears of it. */
function toRefusal(state: CallState, error: unknown): Refusal {
  if (error instanceof Refusal && isDeclared(state.call.operation, error.code)) return error
  reportFault(state.hub.log, state.call.operation.name, error)
  if (error instanceof StorageUnavailable) return new Refusal('STORAGE_UNAVAILABLE')
  return new Refusal('RUNTIME_ERROR')
}

function definitionOf({ call }: CallState, refusal: Refusal) {
  const common: Record<string, ErrorDefinition> = COMMON_ERRORS
  return call.operation.errors[refusal.code] ?? common[refusal.code] ?? COMMON_ERRORS.RUNTIME_ERROR
}

function renderRefusal(state: CallState, refusal: Refusal): Answer {
  const { status, message } = definitionOf(state, refusal)
  const text = JSON.stringify({ error: refusal.reason ?? message, code: refusal.code })
  const { code, retry_after_seconds } = refusal
  return { ok: false, status, text, code, retry_after_seconds }
}
