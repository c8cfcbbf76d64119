import { z } from 'zod'
import { ROLES, type Role } from '../../../platform/identity/caller.ts'
import { findToken, type TokenRecord } from '../../../platform/identity/token-store.ts'
import { type Lock, lockedCode } from '../../../platform/locks/lock.ts'
import type { Locks } from '../../../platform/locks/open-locks.ts'
import { gateState, isForbidden } from '../../../platform/policy/gates.ts'
import type { VaultRules } from '../../../platform/policy/policies.ts'
import { findVisibleScopes, scopesOfRole } from '../../../platform/policy/visible-scopes.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { allowedToolIds } from '../allowlist.ts'
import { SCOPES, type Scope } from '../bundle/vocabulary.ts'
import { isFlowVersionVisible } from '../flow-store.ts'
import { isExpired } from '../grants/check-grant.ts'
import type { Grant } from '../grants/grant-record.ts'
import { findGrant } from '../grants/grant-store.ts'

/** One thing a tool call needs, in the words of the owner; `code` is all that the agent hears. */
export const ConditionSchema = z.strictObject({
  condition: z.string(),
  holds: z.boolean(),
  code: z.string(),
  detail: z.string(),
})
export type Condition = z.infer<typeof ConditionSchema>

interface Question {
  flow_id: string
  flow_version?: string | undefined
  tool_id: string
  grant_id: string
  credential_id?: string | undefined
  role?: Role | undefined
  vault_id: string
  db: Reader
  env: NodeJS.ProcessEnv
  locks: Pick<Locks, 'find'>
  rules: VaultRules
  now: Date
}

/** Judges all conditions in the order in which an invoke checks them. */
export async function judgeConditions(question: Question): Promise<Condition[]> {
  const { db, vault_id, grant_id, credential_id, locks, now } = question
  const grant = await findGrant(db, vault_id, grant_id)
  const token = credential_id ? await findToken(db, vault_id, credential_id) : undefined
  const conditions = [
    ...(token ? [tokenCondition(token, now)] : []),
    unlocked('calls are not locked', await locks.find(undefined)),
    ...(credential_id ? [unlocked('credential is not locked', await locks.find(credential_id))] : []),
    ...gateConditions(question),
    ...grantConditions(question, grant),
  ]
  if (!grant) return conditions
  const { flow_id, flow_version: version } = grant
  const approved = await isFlowVersionVisible(db, { vault_id, flow_id, version, scopes: SCOPES })
  const scopes = scopesOfCaller(question, token)
  return [
    ...conditions,
    unlocked('grant is not locked', await locks.find(grant_id)),
    pinCondition(question, grant),
    ...toolConditions(question, grant),
    scopeCondition(question, scopes),
    sightCondition(question, grant, scopes),
    ...reachConditions(grant, approved),
  ]
}

/** What nobody may call with is refused before anything else is asked. */
function tokenCondition({ revoked_at, expires_at }: TokenRecord, now: Date): Condition {
  const isOver = expires_at !== null && expires_at <= now.toISOString()
  const detail = revoked_at ? `revoked at ${revoked_at}` : expires_at ? `until ${expires_at}` : 'without end'
  return told('credential counts', !revoked_at && !isOver, 'UNAUTHENTICATED', detail)
}

function unlocked(condition: string, lock: Lock | undefined): Condition {
  if (!lock) return told(condition, true, 'LOCKED', 'not locked')
  const since = `locked by ${lock.locked_by} at ${lock.locked_at}`
  return told(condition, false, lockedCode(lock), lock.reason ? `${since}: ${lock.reason}` : since)
}

function gateConditions({ env, rules }: Question): Condition[] {
  const flag = 'FLOW_EXTERNAL_AGENT_ENABLED'
  const { on, set_by } = gateState(flag, env, rules.policy.value)
  const forbidden = isForbidden(flag, env, rules.policy)
  const damage = rules.policy.damaged
  return [
    told(
      'policy does not forbid external agents',
      !forbidden,
      'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
      forbidden ? 'forbidden is set' : 'not forbidden',
    ),
    told(
      'gate is open',
      on,
      'FLOW_EXTERNAL_AGENT_DISABLED',
      damage ?? `${flag} is ${on ? 'on' : 'off'}, set by the ${set_by}`,
    ),
  ]
}

function grantConditions({ now }: Question, grant: Grant | undefined): Condition[] {
  const exists = told(
    'grant exists',
    grant !== undefined,
    'FLOW_EXTERNAL_GRANT_DENIED',
    grant ? 'stored in this vault' : 'no such grant in this vault',
  )
  if (!grant) return [exists]
  return [
    exists,
    told(
      'grant is not revoked',
      grant.revoked_at === null,
      'FLOW_EXTERNAL_GRANT_REVOKED',
      grant.revoked_at ?? 'not revoked',
    ),
    told(
      'grant has not expired',
      !isExpired(grant, now),
      'FLOW_EXTERNAL_GRANT_EXPIRED',
      `until ${grant.expires_at}`,
    ),
  ]
}

function pinCondition({ flow_id, flow_version }: Question, grant: Grant): Condition {
  const named = flow_version ?? grant.flow_version
  return told(
    'grant is for this flow and version',
    grant.flow_id === flow_id && grant.flow_version === named,
    'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
    `pinned to ${grant.flow_id} ${grant.flow_version}`,
  )
}

function toolConditions({ tool_id, rules }: Question, grant: Grant): Condition[] {
  const granted = grant.allowed_tools.includes(tool_id)
  const listed = allowedToolIds(rules.policy.value).has(tool_id)
  return [
    told(
      'grant includes the tool',
      granted,
      'FLOW_EXTERNAL_GRANT_TOOL_DENIED',
      `granted: ${grant.allowed_tools.join(', ')}`,
    ),
    told(
      'allowlist has the tool',
      listed,
      'FLOW_EXTERNAL_TOOL_DENIED',
      listed ? 'listed' : `not in the policy, revision ${rules.revision}`,
    ),
  ]
}

/** What the caller may see, as far as it is named: whoever is not may be an admin. */
function scopesOfCaller(
  { credential_id = '', role, rules }: Question,
  token: TokenRecord | undefined,
): Scopes {
  return findVisibleScopes({ id: credential_id, role: role ?? token?.role ?? 'admin' }, rules)
}

type Scopes = readonly Scope[] | undefined

/** A members file that cannot be read might have narrowed anybody. */
function scopeCondition({ rules: { members } }: Question, scopes: Scopes): Condition {
  const detail = scopes ? 'the members file is in order' : 'the members file marks the caller as ambiguous'
  const code = 'FLOW_SCOPE_AMBIGUOUS'
  return told('scopes of callers can be told', scopes !== undefined, code, members.damaged ?? detail)
}

function sightCondition({ credential_id }: Question, { scope }: Grant, scopes: Scopes): Condition {
  const roles = ROLES.filter((one) => scopesOfRole(one).includes(scope))
  const detail = `roles that can: ${roles.join(', ')}`
  const sees = `it sees ${scopes?.join(', ') || 'nothing'}; the flow is ${scope}`
  const seen = scopes?.includes(scope) ?? false
  return told('caller can read the flow', seen, 'unknown_flow', credential_id ? sees : detail)
}

function reachConditions(grant: Grant, approved: boolean): Condition[] {
  const { max_invocations, invocation_count } = grant
  const left = max_invocations === 0 || invocation_count < max_invocations
  return [
    told(
      'version is approved',
      approved,
      'FLOW_EXTERNAL_GRANT_DENIED',
      approved ? 'canonical' : 'no longer canonical',
    ),
    told(
      'invocations are left',
      left,
      'FLOW_EXTERNAL_GRANT_DENIED',
      `${invocation_count} of ${max_invocations || 'unlimited'} used`,
    ),
  ]
}

function told(condition: string, holds: boolean, code: string, detail: string): Condition {
  return { condition, holds, code, detail }
}
