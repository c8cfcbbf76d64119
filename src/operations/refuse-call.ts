import { StorageDamaged, StorageUnavailable, TextRefused } from '../platform/storage/database.ts'
import { type Answer, type CallState, endedCall } from './call.ts'
import { recordOf } from './call-record.ts'
import type { Contract } from './contract.ts'
import { COMMON_ERRORS, type ErrorDefinition, Refusal } from './errors.ts'
import { isDeclared } from './registry.ts'
import { reportFault } from './report-fault.ts'

/** Ends a call that is not carried out: a declared code, a constant text, and its record. */
export async function refuseCall(state: CallState, error: unknown): Promise<Answer> {
  const contract = contractOf(state)
  const refusal = toRefusal(state, contract, error)
  const outcome = definitionOf(state, refusal).status >= 500 ? 'failed' : 'denied'
  await findLateReferences(state)
  const record = recordOf(state, outcome, refusal.code)
  state.hub.observe(record)
  try {
    await contract?.onRefused(endedCall(state), refusal)
    await state.hub.refusals.append(record)
    return await renderRefusal(state, contract, refusal)
  } catch (failure) {
    reportFault(state.hub.log, state.call.operation.name, failure)
    const damaged = failure instanceof StorageDamaged
    const code = damaged ? 'RUNTIME_ERROR' : 'STORAGE_UNAVAILABLE'
    return await renderRefusal(state, contract, new Refusal(code))
  }
}

/** A call that was refused before its grant was looked at names it all the same. */
async function findLateReferences(state: CallState): Promise<void> {
  const { hub, call, vault_id, rules } = state
  const { references: find } = call.operation
  if (!find || !rules || call.caller.kind === 'anonymous' || state.references.grant_id) return
  try {
    state.references = (await find({ db: hub.db, vault_id, presented: call.presented ?? {} })) ?? {}
  } catch (error) {
    // The refusal is what is to be told and recorded.
    reportFault(hub.log, call.operation.name, error)
  }
}

/** Whoever has no credential has not come as far as most contracts: it is told so in the hub's own form. */
function contractOf({ call: { caller, operation } }: CallState): Contract | undefined {
  const { contract } = operation
  return caller.kind === 'anonymous' && !contract?.forStrangers ? undefined : contract
}

const NO_SUCH_TEXT = 'A text of the request holds a sign that cannot be stored.'

/** Whatever goes wrong becomes a declared code; the rest is ours to mend and only our log hears of it. */
function toRefusal(state: CallState, contract: Contract | undefined, error: unknown): Refusal {
  // Not every text that a program can send can be stored everywhere; that is the caller's to mend.
  if (error instanceof TextRefused)
    return new Refusal(state.call.operation.whenInvalid ?? 'BAD_REQUEST', NO_SUCH_TEXT)
  const meant = contract?.toRefusal(error) ?? error
  if (meant instanceof Refusal && isDeclared(state.call.operation, meant.code)) return meant
  reportFault(state.hub.log, state.call.operation.name, error)
  if (error instanceof StorageUnavailable) return new Refusal('STORAGE_UNAVAILABLE')
  return new Refusal('RUNTIME_ERROR')
}

function definitionOf({ call }: CallState, refusal: Refusal) {
  const common: Record<string, ErrorDefinition> = COMMON_ERRORS
  return call.operation.errors[refusal.code] ?? common[refusal.code] ?? COMMON_ERRORS.RUNTIME_ERROR
}

async function renderRefusal(
  state: CallState,
  contract: Contract | undefined,
  refusal: Refusal,
): Promise<Answer> {
  const { status, message } = definitionOf(state, refusal)
  const words = refusal.reason ?? message
  const text = contract
    ? await contract.renderRefusal(endedCall(state), refusal, words)
    : JSON.stringify({ error: words, code: refusal.code })
  const { code, retry_after_seconds } = refusal
  return { ok: false, status, text, code, retry_after_seconds, request_id: state.request_id }
}
