import { z } from 'zod'
import type { Hub } from '../../../../operations/hub.ts'
import type { ChainedRecord } from '../../../../platform/audit/audit-record.ts'
import { listAudit } from '../../../../platform/audit/read-audit.ts'
import type { VaultRules } from '../../../../platform/policy/policies.ts'
import { SCOPES } from '../../../../platform/policy/scopes.ts'
import { findObjection, judgeAgain } from '../../activation/conditions.ts'
import { type Facts, factsOf } from '../../activation/facts.ts'
import { allowedToolIds } from '../../allowlist.ts'
import { type Grant, isExpired } from '../../grants/grant-record.ts'
import { findGrant, listGrants } from '../../grants/grant-store.ts'

const GRANT_LIMIT = 5_000
const CALL_LIMIT = 5_000
const PAGE = 500

const decided = { now_code: z.string().nullable(), then_code: z.string().nullable() }

export const ComparisonShape = z.strictObject({
  grants: z
    .array(z.strictObject({ grant_id: z.string(), flow_id: z.string(), tool_id: z.string(), ...decided }))
    .describe('Live grants that would be decided differently, by the code; null is let through'),
  calls: z
    .array(
      z.strictObject({
        seq: z.int(),
        at: z.string(),
        tool_id: z.string().nullable(),
        grant_id: z.string().nullable(),
        now_code: z.string().nullable().describe('How the call ended'),
        then_code: z.string().nullable().describe('How it would end'),
      }),
    )
    .describe('Calls on record that would be decided differently'),
  grants_looked_at: z.int(),
  calls_looked_at: z.int(),
  calls_untold: z
    .int()
    .describe('Calls of tools that the policy did not list: their names are not on record'),
  whole: z.boolean().describe('False where there are more grants or calls than were looked at'),
  note: z.string(),
})
export type Comparison = z.output<typeof ComparisonShape>

const NOTE =
  'Arguments are not on record, so what schemas and sizes refuse is taken as it was; so is what the policy does not decide.'

/** Which grants that live and which calls on record another policy would decide differently. */
export async function comparePolicies(hub: Hub, vault_id: string, other: VaultRules): Promise<Comparison> {
  const grants = await compareGrants(hub, vault_id, other)
  const calls = await compareCalls(hub, vault_id, other)
  return {
    grants: grants.differing,
    calls: calls.differing,
    grants_looked_at: grants.count,
    calls_looked_at: calls.count,
    calls_untold: calls.untold,
    whole: grants.whole && calls.whole,
    note: NOTE,
  }
}

async function compareGrants(hub: Hub, vault_id: string, other: VaultRules) {
  const now = hub.system.now()
  const wanted = { vault_id, flow_id: undefined, scopes: SCOPES, limit: GRANT_LIMIT + 1 }
  const listed = await listGrants(hub.db, wanted)
  const live = listed.slice(0, GRANT_LIMIT).filter((one) => one.revoked_at === null && !isExpired(one, now))
  const differing: Comparison['grants'] = []
  for (const grant of live) {
    const { grant_id, flow_id } = grant
    for (const tool_id of grant.allowed_tools) {
      const judge = async (rules: VaultRules) => {
        const facts = factsOfGrant(hub, vault_id, rules, grant, tool_id)
        return (await findObjection(facts, ['gate', 'life', 'use', 'count']))?.code ?? null
      }
      const [now_code, then_code] = [await judge(hub.rulesOf(vault_id)), await judge(other)]
      if (now_code !== then_code) differing.push({ grant_id, flow_id, tool_id, now_code, then_code })
    }
  }
  return { differing, count: live.length, whole: listed.length <= GRANT_LIMIT }
}

function factsOfGrant(hub: Hub, vault_id: string, rules: VaultRules, grant: Grant, tool_id: string): Facts {
  const { db, env, locks } = hub
  const { flow_id, flow_version } = grant
  return factsOf({
    vault_id,
    db,
    env,
    locks,
    rules,
    now: hub.system.now(),
    caller: {},
    findGrant: async () => grant,
    useOf: () => ({ flow_id, flow_version, tools: [tool_id] }),
  })
}

async function compareCalls(hub: Hub, vault_id: string, other: VaultRules) {
  const differing: Comparison['calls'] = []
  const listed = allowedToolIds(other.policy.value)
  let [count, untold] = [0, 0]
  let before_seq: number | undefined
  do {
    const asked = { vault_id, operation: 'flow_external_tool_invoke', before_seq, limit: PAGE }
    const page = await listAudit(hub.db, asked)
    for (const record of page.records) {
      const then_code = await replayCall(hub, other, record)
      const { seq, at, target_id: tool_id, grant_id, code: now_code } = record
      count++
      if (tool_id === null && now_code === 'FLOW_EXTERNAL_TOOL_DENIED' && listed.size > 0) untold++
      if (then_code !== now_code) differing.push({ seq, at, tool_id, grant_id, now_code, then_code })
    }
    before_seq = page.next_before_seq ?? undefined
  } while (before_seq !== undefined && count < CALL_LIMIT)
  return { differing, count, untold, whole: before_seq === undefined }
}

/** How a call on record would end under other rules, with its grant as it was then. */
export async function replayCall(hub: Hub, rules: VaultRules, record: ChainedRecord): Promise<string | null> {
  const { db, env, locks } = hub
  const { vault_id, at, caller_id, target_id, code } = record
  const facts = factsOf({
    vault_id,
    db,
    env,
    locks,
    rules,
    now: new Date(at),
    caller: { id: caller_id },
    async findGrant() {
      const grant = await findGrant(db, vault_id, record.grant_id ?? '')
      const isRevokedLater = grant !== undefined && grant.revoked_at !== null && grant.revoked_at > at
      return isRevokedLater ? { ...grant, revoked_at: null } : grant
    },
    useOf: ({ flow_id, flow_version }) => ({ flow_id, flow_version, tools: [target_id ?? ''] }),
  })
  // What could not be read names no tool, and was refused right behind the gate. Grants are forgotten in time.
  const isUnread = code === 'BAD_REQUEST' && target_id === null
  const isForgotten = record.grant_id !== null && (await facts.grant()) === undefined
  return judgeAgain(facts, code, isUnread || isForgotten)
}
