import type { AuditOutcome, AuditRecord } from '../platform/audit/audit-record.ts'
import { VAULT_ID } from '../platform/basics/home.ts'
import type { Caller } from '../platform/identity/caller.ts'
import { isForbidden, isGateOn } from '../platform/policy/gates.ts'
import type { VaultRules } from '../platform/policy/policies.ts'
import { StorageDamaged, StorageUnavailable, type Transaction } from '../platform/storage/database.ts'
import { hasAuthority } from './authority.ts'
import {
  ActOutside,
  type Context,
  type Effect,
  type Operation,
  type Presented,
  StoredJson,
  type Surface,
  type Target,
} from './define-operation.ts'
import { describeIssue } from './describe-issue.ts'
import { COMMON_ERRORS, Refusal, refuse } from './errors.ts'
import type { Hub } from './hub.ts'
import { isDeclared } from './registry.ts'
import { reportFault } from './report-fault.ts'

export type { Surface } from './define-operation.ts'

/** One call, as a surface hands it over. */
export interface Call {
  readonly operation: Operation
  readonly surface: Surface
  readonly caller: Caller
  /** Where the call came from, for the limit on failed authentications. */
  readonly address: string
  /** What the vault header or flag said; nothing means the vault `default`. */
  readonly vault: string | undefined
  readonly input: unknown
  /** Trouble the surface had before the input was whole: an unreadable body, a foreign host. */
  readonly refused?: Refusal
  readonly presented?: Presented
  readonly hosted?: boolean
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}

/** The finished answer: `text` is the JSON document that every surface passes on unchanged. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly text: string
  readonly code: string | null
  readonly retry_after_seconds: number | undefined
}

/** What the steps have worked out so far. */
interface State {
  readonly hub: Hub
  readonly call: Call
  readonly started: number
  readonly now: Date
  vault_id: string
  rules: VaultRules | undefined
  input: unknown
  text: string
  notes: { event: string; target: Target }[]
}

const NEVER_ABORTED = new AbortController().signal

type Step = (state: State) => void | Promise<void>

/** Every call of every surface goes down this list, top to bottom. */
const STEPS: readonly Step[] = [
  checkArrival,
  checkIdentity,
  bindVault,
  checkOffered,
  checkGate,
  parseInput,
  checkAuthority,
  checkRate,
  act,
]

/** Carries out one call, or refuses it; either way exactly one audit record is kept before the answer. */
export async function runOperation(hub: Hub, call: Call): Promise<Answer> {
  const state: State = {
    hub,
    call,
    started: performance.now(),
    now: hub.system.now(),
    vault_id: '-',
    rules: undefined,
    input: undefined,
    text: '',
    notes: [],
  }
  try {
    for (const step of STEPS) {
      const pending = step(state)
      if (pending) await pending
    }
    const status = call.operation.effect === 'create' ? 201 : 200
    return { ok: true, status, text: state.text, code: null, retry_after_seconds: undefined }
  } catch (error) {
    return refusedAnswer(state, error)
  }
}

function checkIdentity({ hub, call }: State): void {
  if (call.caller.kind !== 'anonymous') return
  const wait = hub.limits.failedAuthentication(call.address)
  if (wait > 0) refuse('RATE_LIMITED', undefined, wait)
  refuse('UNAUTHENTICATED')
}

/** A surface that could not read the call, or may not take it, hands its refusal over to be recorded. */
function checkArrival({ call }: State): void {
  const { refused } = call
  if (!refused) return
  const own = refused.code === 'HOST_DENIED' ? call.operation.whenHostDenied : undefined
  throw own ? new Refusal(own) : refused
}

function bindVault(state: State): void {
  const { vault = 'default', caller } = state.call
  if (!VAULT_ID.test(vault)) refuse('BAD_REQUEST', 'The vault id does not have the required form.')
  if (caller.vaults !== '*' && !caller.vaults.includes(vault)) refuse('VAULT_DENIED')
  state.vault_id = vault
  state.rules = state.hub.rulesOf(vault)
}

function checkOffered({ call: { operation, surface } }: State): void {
  const offered = { rest: operation.rest !== undefined, mcp: operation.mcp, cli: operation.cli !== undefined }
  if (!offered[surface]) refuse('NOT_FOUND')
}

function checkGate({ hub, call, rules }: State): void {
  const { gate } = call.operation
  if (!gate || !rules) return
  const { value } = rules.policy
  if (gate.whenForbidden && isForbidden(gate.flag, hub.env, value)) throw new Refusal(gate.whenForbidden)
  if (!isGateOn(gate.flag, hub.env, value)) throw new Refusal(gate.whenOff)
}

function parseInput(state: State): void {
  const { operation, input } = state.call
  const parsed = operation.input.safeParse(
    operation.ignores.length > 0 ? without(input, operation.ignores) : input,
  )
  if (!parsed.success) throw new Refusal(operation.whenInvalid ?? 'BAD_REQUEST', describeIssue(parsed.error))
  state.input = parsed.data
}

function without(input: unknown, keys: readonly string[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  return Object.fromEntries(Object.entries(input).filter(([key]) => !keys.includes(key)))
}

function checkAuthority({ call }: State): void {
  const { authority } = call.operation
  if (!hasAuthority(authority, call.caller)) throw new Refusal(authority.otherwise)
}

function checkRate({ hub, call }: State): void {
  const wait = hub.limits.call(`${call.caller.kind}|${call.caller.id}`)
  if (wait > 0) refuse('RATE_LIMITED', undefined, wait)
}

/** A read is recorded before its answer leaves; a change commits together with its record. */
async function act(state: State): Promise<void> {
  const { hub, call } = state
  await call.operation.prepare?.({ hub, vault_id: state.vault_id })
  if (call.operation.effect === 'read') {
    state.text = renderOutput(call.operation, await call.operation.handle(contextOf(state, hub.db)))
    const record = recordOf(state, 'allowed', null)
    await hub.audit.append(record)
    hub.observe(record)
    return
  }
  const done = await hub.db.transaction(async (tx) => {
    const output = await call.operation.handle(contextOf(state, tx))
    const text = output instanceof ActOutside ? output : renderOutput(call.operation, output)
    const record = recordOf(state, 'allowed', null, findMade(call.operation, output))
    await hub.audit.appendIn(tx, [record, ...notesOf(state, record)])
    return { text, record }
  })
  hub.observe(done.record)
  state.text = typeof done.text === 'string' ? done.text : await performOutside(state, done.text)
}

function findMade(operation: Operation, output: unknown): Target | undefined {
  const later = output instanceof ActOutside || output instanceof StoredJson
  return later ? undefined : operation.made?.(output as never)
}

function notesOf(state: State, record: AuditRecord): AuditRecord[] {
  return state.notes.map(({ event, target }) => ({
    ...record,
    operation: event,
    target_kind: target.kind,
    target_id: target.id,
  }))
}

/** From here on the act is on record; if it fails, a second record says so. */
async function performOutside({ call }: State, outside: ActOutside<unknown>): Promise<string> {
  return renderOutput(call.operation, await outside.perform(call.signal ?? NEVER_ABORTED))
}

function contextOf(state: State, db: unknown): Context<never, string, Effect> {
  const { hub, call, rules } = state
  // A transaction may begin again after a conflict: what the last attempt noted did not happen.
  state.notes = []
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
    note: (event, target) => void state.notes.push({ event, target }),
    isGateOn: (flag) => isGateOn(flag, hub.env, (rules as VaultRules).policy.value),
    refuse: (code, reason) => {
      throw new Refusal(code, reason)
    },
  }
}

/** Only what the declared output names may leave; stored documents were checked when they were written. */
function renderOutput(operation: Operation, output: unknown): string {
  if (output instanceof StoredJson) return output.text
  return JSON.stringify(operation.output.parse(output))
}

async function refusedAnswer(state: State, error: unknown): Promise<Answer> {
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
function toRefusal(state: State, error: unknown): Refusal {
  if (error instanceof Refusal && isDeclared(state.call.operation, error.code)) return error
  reportFault(state.hub.log, state.call.operation.name, error)
  if (error instanceof StorageUnavailable) return new Refusal('STORAGE_UNAVAILABLE')
  return new Refusal('RUNTIME_ERROR')
}

function definitionOf({ call }: State, refusal: Refusal) {
  const tables = { ...COMMON_ERRORS, ...call.operation.errors } as Record<
    string,
    { status: number; message: string }
  >
  return tables[refusal.code] ?? COMMON_ERRORS.RUNTIME_ERROR
}

function renderRefusal(state: State, refusal: Refusal): Answer {
  const { status, message } = definitionOf(state, refusal)
  const text = JSON.stringify({ error: refusal.reason ?? message, code: refusal.code })
  const { code, retry_after_seconds } = refusal
  return { ok: false, status, text, code, retry_after_seconds }
}

function recordOf(state: State, outcome: AuditOutcome, code: string | null, made?: Target): AuditRecord {
  const { call } = state
  const about = state.input === undefined ? undefined : call.operation.target?.(state.input as never)
  const target = made ?? about
  return {
    at: state.now.toISOString(),
    vault_id: state.vault_id,
    surface: call.surface,
    caller_kind: call.caller.kind,
    caller_id: call.caller.id,
    client: call.caller.client,
    operation: call.operation.name,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    outcome,
    code,
    duration_us: Math.round((performance.now() - state.started) * 1_000),
    policy_revision: state.rules?.revision ?? 'none',
    repeats: 1,
  }
}
