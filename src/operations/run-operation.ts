import { NO_VAULT } from '../platform/audit/audit-record.ts'
import { VAULT_ID } from '../platform/basics/home.ts'
import { type Caller, rateKey } from '../platform/identity/caller.ts'
import { lockedCode } from '../platform/locks/lock.ts'
import { isForbidden, isGateOn } from '../platform/policy/gates.ts'
import { isPublicOrigin } from '../platform/policy/hub-config.ts'
import { act } from './act.ts'
import { hasAuthority } from './authority.ts'
import { type Answer, type Call, type CallState, requestIdOf } from './call.ts'
import { endOfSpan, spanOf } from './call-span.ts'
import { describeIssue } from './describe-issue.ts'
import { Refusal, refuse } from './errors.ts'
import { findLostKey } from './find-lost-key.ts'
import type { Hub } from './hub.ts'
import { isVault } from './is-vault.ts'
import { checkPresence } from './presence.ts'
import { refuseCall } from './refuse-call.ts'
import { findCallerLock, isFreeOfLocks } from './watch-acts.ts'

export type { Answer, Call } from './call.ts'
export type { Surface } from './define-operation.ts'

const DEFAULT_VAULT = 'default'

type Step = (state: CallState) => void | Promise<void>

/** Every call of every surface goes down this list, top to bottom. */
const STEPS: readonly Step[] = [
  checkArrival,
  checkIdentity,
  checkAudience,
  bindVault,
  checkRate,
  checkOffered,
  checkLocks,
  checkGate,
  checkStanding,
  parseInput,
  checkAuthority,
  checkPresence,
  act,
]

/** Carries out one call, or refuses it; either way exactly one audit record is kept before the answer. */
export function runOperation(hub: Hub, call: Call): Promise<Answer> {
  const state = beginCall(hub, call)
  if (!hub.tracing.isOn) return walk(state)
  // Whoever watches finds the record of a call by the id that its span has.
  requestIdOf(state)
  return hub.tracing.span(spanOf(call), async (span) => {
    const answer = await walk(state)
    endOfSpan(span, state, answer)
    return answer
  })
}

function beginCall(hub: Hub, call: Call): CallState {
  return {
    hub,
    call,
    started: performance.now(),
    now: hub.system.now(),
    vault_id: NO_VAULT,
    rules: undefined,
    input: undefined,
    text: '',
    notes: [],
    mark: null,
    references: {},
    request_id: undefined,
  }
}

async function walk(state: CallState): Promise<Answer> {
  const { call } = state
  try {
    for (const step of STEPS) {
      const pending = step(state)
      if (pending) await pending
    }
    const { text, request_id, status = call.operation.status, retry_after_seconds } = state
    return { ok: true, status, text, code: null, retry_after_seconds, request_id }
  } catch (error) {
    return refuseCall(state, error)
  }
}

function checkIdentity({ hub, call }: CallState): void {
  if (call.caller.kind !== 'anonymous' || call.operation.authority.kind === 'visitor') return
  const wait = hub.limits.failedAuthentication(call.address, isPublicOrigin(hub.config, call.origin))
  if (wait > 0) refuse('RATE_LIMITED', undefined, wait)
  refuse('UNAUTHENTICATED')
}

/** Who signed in for MCP is nobody elsewhere. */
function checkAudience(state: CallState): void {
  const { caller, surface, operation } = state.call
  if (caller.kind !== 'mcp_client' || surface === 'mcp' || operation.authority.kind === 'visitor') return
  state.vault_id = caller.vaults[0] ?? NO_VAULT
  checkRate(state)
  refuse('AUDIENCE_DENIED')
}

/** A surface that may not take the call hands its refusal over to be recorded. */
function checkArrival(state: CallState): void {
  const { call } = state
  const { refused } = call
  if (!refused) return
  // What is refused counts, too: it costs as much.
  checkRate(state)
  const own = refused.code === 'HOST_DENIED' ? call.operation.whenHostDenied : undefined
  throw own ? new Refusal(own) : refused
}

function bindVault(state: CallState): void | Promise<void> {
  const { vault = DEFAULT_VAULT, caller, operation } = state.call
  // A visitor has no vault, and what a visitor may do concerns none.
  if (operation.authority.kind === 'visitor') return
  const fault = findVaultFault(vault, caller)
  if (fault) {
    // Filed where the owner of the credential looks, not where the caller has asked for.
    if (caller.kind !== 'anonymous') state.vault_id = usualVaultOf(caller)
    checkRate(state)
    throw fault
  }
  if (operation.authority.kind !== 'owner_surface' || vault === DEFAULT_VAULT) return enterVault(state, vault)
  return isVault(state.hub, vault).then((exists) => {
    if (exists) return enterVault(state, vault)
    state.vault_id = DEFAULT_VAULT
    checkRate(state)
    // Which vaults there are is the owner's to know.
    if (!hasAuthority(operation.authority, caller)) throw new Refusal(operation.authority.otherwise)
    return refuse('BAD_REQUEST', 'There is no such vault.')
  })
}

function usualVaultOf({ vaults }: Caller): string {
  return vaults === '*' ? DEFAULT_VAULT : (vaults[0] ?? NO_VAULT)
}

function enterVault(state: CallState, vault: string): void {
  state.vault_id = vault
  state.rules = state.hub.rulesOf(vault)
}

function findVaultFault(vault: string, { vaults }: Caller): Refusal | undefined {
  if (!VAULT_ID.test(vault))
    return new Refusal('BAD_REQUEST', 'The vault id does not have the required form.')
  return vaults === '*' || vaults.includes(vault) ? undefined : new Refusal('VAULT_DENIED')
}

/**
 * Every call of a credential counts, whatever becomes of it, and before its input is looked at. Visitors have limits
 * of their own: counted together, one could use up the calls of all.
 */
function checkRate({ hub, call: { caller } }: CallState): void {
  if (caller.kind === 'anonymous') return
  const wait = hub.limits.call(rateKey(caller))
  if (wait > 0) refuse('RATE_LIMITED', undefined, wait)
}

function checkOffered({ call: { operation, surface } }: CallState): void {
  const offered = { rest: operation.rest !== undefined, mcp: operation.mcp, cli: operation.cli !== undefined }
  if (!offered[surface]) refuse('NOT_FOUND')
}

/** What the owner has stopped stays stopped. */
async function checkLocks({ hub, call }: CallState): Promise<void> {
  if (isFreeOfLocks(call)) return
  const lock = await findCallerLock(hub, call.caller)
  if (lock) refuse(lockedCode(lock))
}

function checkGate({ hub, call, rules }: CallState): void {
  const { gate } = call.operation
  if (!gate || !rules) return
  const { policy } = rules
  if (gate.whenForbidden && isForbidden(gate.flag, hub.env, policy)) throw new Refusal(gate.whenForbidden)
  if (!isGateOn(gate.flag, hub.env, policy.value)) throw new Refusal(gate.whenOff)
}

/**
 * Whose input is not looked at: who is not the owner on what is the owner's, no seat on tools, and a seat or an agent of the
 * owner's elsewhere. Between members the contract of flows has a right judged last.
 */
function checkStanding({ call: { operation, caller } }: CallState): void {
  const { authority } = operation
  const isMember = caller.seat === undefined && caller.kind !== 'owner_agent'
  if (authority.kind === 'member' && isMember) return
  if (!hasAuthority(authority, caller)) throw new Refusal(authority.otherwise)
}

function parseInput(state: CallState): void {
  const { operation, input, unread } = state.call
  if (unread) throw unread
  const parsed = operation.input.safeParse(
    operation.ignores.length > 0 ? without(input, operation.ignores) : input,
  )
  if (!parsed.success)
    throw new Refusal(operation.whenInvalid ?? 'BAD_REQUEST', describeIssue(parsed.error, input))
  const lost = findLostKey(input, parsed.data)
  if (lost !== undefined)
    throw new Refusal(operation.whenInvalid ?? 'BAD_REQUEST', `${lost} has a key that is not known.`)
  state.input = parsed.data
}

function without(input: unknown, keys: readonly string[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  if (!keys.some((key) => Object.hasOwn(input, key))) return input
  return Object.fromEntries(Object.entries(input).filter(([key]) => !keys.includes(key)))
}

function checkAuthority({ call }: CallState): void {
  const { authority } = call.operation
  if (!hasAuthority(authority, call.caller)) throw new Refusal(authority.otherwise)
}
