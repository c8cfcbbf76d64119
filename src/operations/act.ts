import type { AuditRecord } from '../platform/audit/audit-record.ts'
import { isGateOn } from '../platform/policy/gates.ts'
import type { VaultRules } from '../platform/policy/policies.ts'
import { StorageDamaged, type Transaction } from '../platform/storage/database.ts'
import { type Call, type CallState, endedCall, requestIdOf } from './call.ts'
import { notesOf, recordOf } from './call-record.ts'
import {
  ActOutside,
  type Context,
  type Effect,
  NotYet,
  type Operation,
  StoredJson,
  type Target,
} from './define-operation.ts'
import { Refusal } from './errors.ts'
import { reportFault } from './report-fault.ts'
import { NEVER_ABORTED, performWatched } from './watch-acts.ts'

const LOCAL_ORIGIN = 'http://127.0.0.1:4747'

/** A read is recorded before its answer leaves; a change commits together with its record. */
export async function act(state: CallState): Promise<void> {
  const { prepare, effect, outward } = state.call.operation
  if (prepare) await prepare({ hub: state.hub, vault_id: state.vault_id })
  return effect === 'read' || outward ? actAlone(state) : actAndRecord(state)
}

async function actAndRecord(state: CallState): Promise<void> {
  const { hub, call } = state
  const found = await call.operation.check?.(contextOf(state, hub.db) as Context<never, string, 'read'>)
  // What strangers may ask for as often as they like is counted where it is much: it must not fill the log.
  const isCounted = isAskedByStranger(call) && !hub.refusals.hasRoom(state.now)
  const done = await hub.db.transaction(async (tx) => {
    const output = await call.operation.handle(contextOf(state, tx), found as never)
    const text = output instanceof ActOutside ? output : await renderOutput(state, output)
    const record = recordOf(state, 'allowed', state.mark, findMade(call.operation, output))
    if (!isCounted) hub.audit.leaveIn(tx, [record, ...notesOf(state, record)], isFirm(call.operation))
    return { text, record }
  })
  if (isCounted) hub.refusals.count(done.record)
  hub.observe(done.record)
  state.text = typeof done.text === 'string' ? done.text : await performOutside(state, done.text)
}

function isAskedByStranger({ operation, caller }: Call): boolean {
  return operation.isAsking && caller.kind === 'anonymous'
}

/** What somebody decided is never lost unnoticed. A tool call, of which there are many, takes a moment longer to be so. */
function isFirm({ references }: Operation): boolean {
  return references === undefined
}

/** What changes nothing in the store needs no transaction of its own, only its record. */
async function actAlone(state: CallState): Promise<void> {
  const { hub, call } = state
  const output = await (call.operation.waits ? waitWatched(state) : handleRead(state))
  const isToCome = output instanceof ActOutside
  if (!isToCome) {
    const text = renderOutput(state, output)
    state.text = typeof text === 'string' ? text : await text
  }
  const record = recordOf(state, 'allowed', null)
  try {
    await (call.operation.whileDamaged ? recordIfPossible(state, record) : hub.audit.append(record))
  } catch (error) {
    if (isToCome) await output.abandon?.()
    throw error
  }
  hub.observe(record)
  if (isToCome) state.text = await performOutside(state, output)
}

function handleRead(state: CallState, signal?: AbortSignal): Promise<unknown> {
  return state.call.operation.handle(contextOf(state, state.hub.db, signal), undefined as never)
}

/** A lock, or the end of the caller's credential, ends waiting too: what comes after it is not told. */
function waitWatched(state: CallState) {
  return performWatched(state.hub, state.call, async (signal) => {
    const output = await handleRead(state, signal)
    if (signal.reason instanceof Refusal) throw signal.reason
    return output
  })
}

/** A chain that somebody changed takes no record more, and the owner has to hear of that from somewhere. */
async function recordIfPossible({ hub, call: { operation } }: CallState, record: AuditRecord): Promise<void> {
  try {
    await hub.audit.append(record)
  } catch (error) {
    if (!(error instanceof StorageDamaged)) throw error
    reportFault(hub.log, operation.name, error)
  }
}

function findMade(operation: Operation, output: unknown): Target | undefined {
  if (output instanceof ActOutside) return output.made
  const isMade = !(output instanceof StoredJson || output instanceof NotYet)
  return isMade ? operation.made?.(output as never) : undefined
}

/** From here on the act is on record; if it fails, a second record says so. */
async function performOutside(state: CallState, outside: ActOutside<unknown>): Promise<string> {
  const output = await performWatched(state.hub, state.call, outside.perform)
  return renderOutput(state, output)
}

function contextOf(
  state: CallState,
  db: unknown,
  signal: AbortSignal = state.call.signal ?? NEVER_ABORTED,
): Context<never, string, Effect> {
  const { hub, call, rules } = state
  // A transaction may begin again after a conflict: what the last attempt noted did not happen.
  state.notes = []
  state.mark = null
  return {
    input: state.input as never,
    caller: call.caller,
    vault_id: state.vault_id,
    rules: rules as VaultRules,
    db: db as Transaction,
    hub,
    now: state.now,
    presented: call.presented ?? {},
    hosted: call.hosted ?? false,
    surface: call.surface,
    origin: call.origin ?? LOCAL_ORIGIN,
    address: call.address,
    signal,
    patience_seconds: call.patience_seconds,
    progress: (...told) => call.progress?.(...told),
    isProgressWanted: call.progress !== undefined,
    holdUp: (wait) => holdUp(state, wait),
    requestId: () => requestIdOf(state),
    tell: (references) => void Object.assign(state.references, references),
    mark: (code) => void (state.mark = code),
    note: (event, target) => void state.notes.push({ event, target }),
    isGateOn: (flag) => isGateOn(flag, hub.env, (rules as VaultRules).policy.value),
    refuse: (code, reason) => {
      throw new Refusal(code, reason)
    },
  }
}

async function holdUp<Output>(
  state: CallState,
  wait: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  const { hub, call } = state
  try {
    return await performWatched(hub, call, wait)
  } finally {
    state.now = hub.system.now()
    state.rules = hub.rulesOf(state.vault_id)
  }
}

function renderPending(state: CallState, { output, retry_after_seconds }: NotYet): string {
  state.status = 202
  state.retry_after_seconds = retry_after_seconds
  return JSON.stringify(state.call.operation.pending?.parse(output))
}

/** Only what the declared output names may leave; stored documents were checked when they were written. */
function renderOutput(state: CallState, output: unknown): string | Promise<string> {
  const { operation } = state.call
  if (output instanceof StoredJson) return output.text
  if (output instanceof NotYet) return renderPending(state, output)
  if (operation.contract) return operation.contract.renderSuccess(endedCall(state), output)
  return JSON.stringify(operation.output.parse(output))
}
