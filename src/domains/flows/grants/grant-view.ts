import type { Presented } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { VAULT_ID } from '../../../platform/basics/home.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import { isForbidden, isGateOn } from '../../../platform/policy/gates.ts'
import { findVisibleScopes } from '../../../platform/policy/visible-scopes.ts'
import { type AllowedTool, allowedToolIds, requireAllowedTool } from '../allowlist.ts'
import { isFlowVersionVisible } from '../flow-store.ts'
import { requireLiveGrant } from './check-grant.ts'
import type { Grant } from './grant-record.ts'

/** What the holder of a grant may reach at this moment. */
export interface GrantView {
  grant: Grant
  tools: AllowedTool[]
}

/** The view a presented bearer opens, by the same checks that an invoke makes; nothing when it opens none. */
export async function findGrantView(
  hub: Hub,
  holder: { caller: Caller; vault_id: string; presented: Presented },
): Promise<GrantView | undefined> {
  const { caller, vault_id } = holder
  if (!VAULT_ID.test(vault_id)) return undefined
  if (caller.vaults !== '*' && !caller.vaults.includes(vault_id)) return undefined
  const rules = hub.rulesOf(vault_id)
  const policy = rules.policy.value
  const scopes = findVisibleScopes(caller, rules)
  const flag = 'FLOW_EXTERNAL_AGENT_ENABLED'
  if (!isGateOn(flag, hub.env, policy) || isForbidden(flag, hub.env, rules.policy) || !scopes)
    return undefined
  const grant = await findLiveGrant(hub, holder)
  if (!grant || !scopes.includes(grant.scope) || (await hub.locks.find(grant.grant_id))) return undefined
  const { flow_id, flow_version: version } = grant
  if (!(await isFlowVersionVisible(hub.db, { vault_id, flow_id, scopes, version }))) return undefined
  const allowed = allowedToolIds(policy)
  const tools = grant.allowed_tools.filter((id) => allowed.has(id))
  return { grant, tools: tools.map((id) => requireAllowedTool(policy, id)) }
}

/** The grant behind a bearer while it is neither revoked nor expired. */
export async function findLiveGrant(
  hub: Hub,
  { vault_id, presented }: { vault_id: string; presented: Presented },
): Promise<Grant | undefined> {
  try {
    return await requireLiveGrant({ db: hub.db, vault_id, presented, now: hub.system.now(), refuse })
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function refuse(code: string): never {
  throw new Refusal(code)
}
