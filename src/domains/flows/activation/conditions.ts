import { z } from 'zod'
import { ROLES } from '../../../platform/identity/caller.ts'
import { gateState, isForbidden } from '../../../platform/policy/gates.ts'
import { scopesOfRole } from '../../../platform/policy/visible-scopes.ts'
import { allowedToolIds, asksFirst } from '../allowlist.ts'
import { isFlowVersionVisible } from '../flow-store.ts'
import { type Grant, isExpired } from '../grants/grant-record.ts'
import { wasEndedByTime } from '../grants/grant-store.ts'
import { readBudgets } from '../invoke/call-budgets.ts'
import { judgePins } from '../pins/reviewed-words.ts'
import type { Facts } from './facts.ts'
import type { Finding } from './finding.ts'
import { unlocked } from './unlocked.ts'

/**
 * Which conditions belong together. The pipeline checks `arrival` and `gate` for every operation before it comes to a
 * grant. `count` is decided by the statements that take an invocation; a list of tools does not depend on it.
 */
export type Part = 'arrival' | 'gate' | 'life' | 'use' | 'sight' | 'count'

interface Condition {
  readonly part: Part
  readonly condition: string
  /** All that an agent hears. */
  readonly code: string
  /** Whether the policy decides it: another policy may decide otherwise. */
  readonly of_policy?: boolean
  /** Answers undefined where there is nothing to judge. */
  judge(facts: Facts): Promise<Finding | undefined> | Finding
}

/** A condition as it was judged. */
export const VerdictSchema = z.strictObject({
  condition: z.string(),
  holds: z.boolean(),
  code: z.string(),
  detail: z.string(),
})
export type Verdict = z.infer<typeof VerdictSchema>

const FLAG = 'FLOW_EXTERNAL_AGENT_ENABLED'

/** Everything that a use of a grant needs, in the order in which it is refused. */
const CONDITIONS: readonly Condition[] = [
  {
    part: 'arrival',
    condition: 'credential counts',
    code: 'UNAUTHENTICATED',
    async judge(facts) {
      const token = await facts.token()
      if (!token) return undefined
      const { revoked_at, expires_at } = token
      const isOver = expires_at !== null && expires_at <= facts.now.toISOString()
      const detail = revoked_at
        ? `revoked at ${revoked_at}`
        : expires_at
          ? `until ${expires_at}`
          : 'without end'
      return { holds: !revoked_at && !isOver, detail }
    },
  },
  {
    part: 'arrival',
    condition: 'calls are not locked',
    code: 'LOCKED',
    judge: async ({ locks }) => unlocked(await locks.find(undefined)),
  },
  {
    part: 'arrival',
    condition: 'credential is not locked',
    code: 'LOCKED',
    judge: async ({ locks, caller: { id } }) => (id ? unlocked(await locks.find(id)) : undefined),
  },
  {
    part: 'gate',
    condition: 'policy does not forbid external agents',
    code: 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
    of_policy: true,
    judge({ env, rules }) {
      const holds = !isForbidden(FLAG, env, rules.policy)
      return { holds, detail: holds ? 'not forbidden' : 'forbidden is set' }
    },
  },
  {
    part: 'gate',
    condition: 'gate is open',
    code: 'FLOW_EXTERNAL_AGENT_DISABLED',
    of_policy: true,
    judge({ env, rules: { policy } }) {
      const { on, set_by } = gateState(FLAG, env, policy.value)
      return { holds: on, detail: policy.damaged ?? `${FLAG} is ${on ? 'on' : 'off'}, set by the ${set_by}` }
    },
  },
  {
    part: 'life',
    condition: 'grant exists',
    code: 'FLOW_EXTERNAL_GRANT_DENIED',
    async judge(facts) {
      const holds = (await facts.grant()) !== undefined
      return { holds, detail: holds ? 'stored in this vault' : 'no such grant in this vault' }
    },
  },
  {
    part: 'life',
    condition: 'grant is not revoked',
    code: 'FLOW_EXTERNAL_GRANT_REVOKED',
    judge: ofGrant(({ revoked_at }) => ({ holds: revoked_at === null, detail: revoked_at ?? 'not revoked' })),
  },
  {
    part: 'life',
    condition: 'grant has not expired',
    code: 'FLOW_EXTERNAL_GRANT_EXPIRED',
    judge: ofGrant((grant, { now }) => ({
      // One that was refused as expired stays so, whatever the clock says later.
      holds: !wasEndedByTime(grant) && !isExpired(grant, now),
      detail: `until ${grant.expires_at}`,
    })),
  },
  {
    part: 'use',
    condition: 'grant is not locked',
    code: 'LOCKED',
    judge: ofGrant(async ({ grant_id }, { locks }) => unlocked(await locks.find(grant_id))),
  },
  {
    part: 'use',
    condition: 'grant is for this flow and version',
    code: 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
    judge: ofGrant((grant, facts) => {
      const { flow_id, flow_version } = facts.useOf(grant)
      const holds = grant.flow_id === flow_id && grant.flow_version === flow_version
      return { holds, detail: `pinned to ${grant.flow_id} ${grant.flow_version}` }
    }),
  },
  {
    part: 'use',
    condition: 'grant includes the tool',
    code: 'FLOW_EXTERNAL_GRANT_TOOL_DENIED',
    judge: ofGrant((grant, facts) => ({
      holds: facts.useOf(grant).tools.every((tool) => grant.allowed_tools.includes(tool)),
      detail: `granted: ${grant.allowed_tools.join(', ')}`,
    })),
  },
  {
    part: 'use',
    condition: 'allowlist has the tool',
    code: 'FLOW_EXTERNAL_TOOL_DENIED',
    of_policy: true,
    judge: ofGrant((grant, facts) => {
      const { policy, revision } = facts.rules
      const listed = allowedToolIds(policy.value)
      const holds = facts.useOf(grant).tools.every((tool) => listed.has(tool))
      return { holds, detail: holds ? 'listed' : `not in the policy, revision ${revision}` }
    }),
  },
  {
    part: 'use',
    condition: 'tools are as they were reviewed',
    code: 'FLOW_EXTERNAL_TOOL_DENIED',
    judge: ofGrant(judgePins),
  },
  {
    part: 'sight',
    condition: 'scopes of callers can be told',
    code: 'FLOW_SCOPE_AMBIGUOUS',
    judge: ofGrant(async (_, facts) => {
      const holds = (await facts.scopes()) !== undefined
      // A members file that cannot be read might have narrowed anybody.
      const detail = holds ? 'the members file is in order' : 'the members file marks the caller as ambiguous'
      return { holds, detail: facts.rules.members.damaged ?? detail }
    }),
  },
  {
    part: 'sight',
    condition: 'caller can read the flow',
    code: 'unknown_flow',
    judge: ofGrant(async ({ scope }, facts) => {
      const scopes = await facts.scopes()
      const roles = ROLES.filter((role) => scopesOfRole(role).includes(scope))
      const detail = facts.caller.id
        ? `it sees ${scopes?.join(', ') || 'nothing'}; the flow is ${scope}`
        : `roles that can: ${roles.join(', ')}`
      return { holds: scopes?.includes(scope) ?? false, detail }
    }),
  },
  {
    part: 'sight',
    condition: 'version is approved',
    code: 'FLOW_EXTERNAL_GRANT_DENIED',
    // A version that was withdrawn since takes its grants with it.
    judge: ofGrant(async ({ flow_id, flow_version: version, scope }, { db, vault_id }) => {
      const holds = await isFlowVersionVisible(db, { vault_id, flow_id, version, scopes: [scope] })
      return { holds, detail: holds ? 'canonical' : 'no longer canonical' }
    }),
  },
  {
    part: 'count',
    condition: 'owner is asked first',
    code: 'FLOW_EXTERNAL_APPROVAL_DENIED',
    judge: ofGrant((grant, facts) => {
      const { allowed_tools = [] } = facts.rules.policy.value.external_agent ?? {}
      const asking = allowed_tools.filter(
        (tool) => facts.useOf(grant).tools.includes(tool.id) && asksFirst(tool),
      )
      const words = asking.map(({ id, approval }) => `${id}: ${approval}`)
      return asking.length > 0
        ? { holds: true, detail: `a call waits for you (${words.join(', ')})` }
        : undefined
    }),
  },
  {
    part: 'count',
    condition: 'invocations are left',
    code: 'FLOW_EXTERNAL_GRANT_DENIED',
    judge: ofGrant(({ max_invocations, invocation_count }) => ({
      holds: max_invocations === 0 || invocation_count < max_invocations,
      detail: `${invocation_count} of ${max_invocations || 'unlimited'} used`,
    })),
  },
  {
    part: 'count',
    condition: 'calls of this minute are left',
    code: 'RATE_LIMITED',
    judge: ofGrant(async (grant, facts) => {
      const { allowed_tools = [] } = facts.rules.policy.value.external_agent ?? {}
      const called = allowed_tools.filter(({ id }) => facts.useOf(grant).tools.includes(id))
      const budgets = await readBudgets(facts, grant, called, await facts.consent())
      if (budgets.length === 0) return undefined
      const detail = budgets.map(({ taken, limit }) => `${taken} of ${limit} used`).join(', ')
      return { holds: budgets.every(({ taken, limit }) => taken < limit), detail }
    }),
  },
]

/** The first condition of these parts that does not hold. */
export async function findObjection(facts: Facts, parts: readonly Part[]): Promise<Verdict | undefined> {
  for (const condition of CONDITIONS) {
    if (!parts.includes(condition.part)) continue
    const finding = await condition.judge(facts)
    if (finding && !finding.holds) return verdictOf(condition, finding)
  }
  return undefined
}

/** Every condition there is something to judge about, in order; of these parts alone, where some are named. */
export async function judgeAll(facts: Facts, parts?: readonly Part[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const condition of CONDITIONS) {
    if (parts && !parts.includes(condition.part)) continue
    const finding = await condition.judge(facts)
    if (finding) verdicts.push(verdictOf(condition, finding))
  }
  return verdicts
}

/**
 * How a call that ended with `code` would end under the policy of these facts, by the same list in the same order. What the
 * policy does not decide is taken as it was: it held up to the condition that refused the call. What no condition decides,
 * such as arguments, is as it was, too. Of a blind call nothing is known but that it came as far as the gate.
 */
export async function judgeAgain(
  facts: Facts,
  code: string | null,
  is_blind: boolean,
): Promise<string | null> {
  if (code !== null && BEFORE_THE_GATE.has(code)) return code
  const ends = CONDITIONS.filter((condition) => condition.code === code)
  if (is_blind && !ends.some(({ part }) => part === 'gate'))
    return (await findObjection(facts, ['gate']))?.code ?? code
  // One code stands for several conditions: with a grant it was not the first of them.
  const end = (await facts.grant()) ? ends.at(-1) : ends[0]
  let isPast = false
  for (const condition of CONDITIONS) {
    if (condition === end && !condition.of_policy) return code
    const finding = condition.of_policy || isPast ? await condition.judge(facts) : undefined
    if (finding && !finding.holds) return finding.code ?? condition.code
    isPast ||= condition === end
  }
  return end === undefined ? code : null
}

/** What the pipeline refuses before it asks the policy anything. */
const BEFORE_THE_GATE: ReadonlySet<string> = new Set(
  'HOST_DENIED ORIGIN_DENIED UNAUTHENTICATED AUDIENCE_DENIED VAULT_DENIED RATE_LIMITED LOCKED'.split(' '),
)

function verdictOf({ condition, code }: Condition, finding: Finding): Verdict {
  return { condition, code, ...finding }
}

/** A condition about the grant. That there is one is a condition of its own. */
function ofGrant(
  judgeGrant: (grant: Grant, facts: Facts) => Finding | undefined | Promise<Finding | undefined>,
): Condition['judge'] {
  return async (facts) => {
    const grant = await facts.grant()
    return grant && judgeGrant(grant, facts)
  }
}
