import { z } from 'zod'
import { ROLES, type Role } from '../../../platform/identity/caller.ts'
import { type Lock, lockedCode } from '../../../platform/locks/lock.ts'
import type { Locks } from '../../../platform/locks/open-locks.ts'
import { gateState, isForbidden } from '../../../platform/policy/gates.ts'
import type { VaultRules } from '../../../platform/policy/policies.ts'
import { scopesOfRole } from '../../../platform/policy/visible-scopes.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { allowedToolIds } from '../allowlist.ts'
import { SCOPES } from '../bundle/vocabulary.ts'
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
  const { db, vault_id, grant_id, locks } = question
  const grant = await findGrant(db, vault_id, grant_id)
  const conditions = [
    unlocked('calls are not locked', await locks.find(undefined)),
    ...gateConditions(question),
    ...grantConditions(question, grant),
  ]
  if (!grant) return conditions
  const { flow_id, flow_version: version } = grant
  const approved = await isFlowVersionVisible(db, { vault_id, flow_id, version, scopes: SCOPES })
  return [
    ...conditions,
    unlocked('grant is not locked', await locks.find(grant_id)),
    pinCondition(question, grant),
    ...toolConditions(question, grant),
    scopeCondition(question),
    ...reachConditions(grant, approved, question.role),
  ]
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

/** A members file that cannot be read might have narrowed anybody. */
function scopeCondition({ rules: { members } }: Question): Condition {
  const { damaged } = members
  const detail = damaged ?? 'the members file is in order'
  return told('scopes of callers can be told', !damaged, 'FLOW_SCOPE_AMBIGUOUS', detail)
}

function reachConditions(grant: Grant, approved: boolean, role: Role | undefined): Condition[] {
  const roles = ROLES.filter((one) => scopesOfRole(one).includes(grant.scope))
  const seen = role === undefined || roles.includes(role)
  const { max_invocations, invocation_count } = grant
  const left = max_invocations === 0 || invocation_count < max_invocations
  return [
    told('caller can read the flow', seen, 'unknown_flow', `roles that can: ${roles.join(', ')}`),
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
