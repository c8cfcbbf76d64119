import type { Presented } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { VAULT_ID } from '../../../platform/basics/home.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import type { Part } from '../activation/conditions.ts'
import { type AllowedTool, allowedToolIds, requireAllowedTool } from '../allowlist.ts'
import { openTools } from '../pins/open-tools.ts'
import { findGrantFor } from './check-grant.ts'
import type { Grant } from './grant-record.ts'

/** What the holder of a grant may reach at this moment. */
export interface GrantView {
  grant: Grant
  tools: AllowedTool[]
}

/** What a list of tools depends on. A grant that is used up still shows them, and a call says why it is refused. */
export const SHOWN: readonly Part[] = ['gate', 'life', 'use', 'sight']

/** Who presents a grant, and where. */
export interface GrantHolder {
  caller: Caller
  vault_id: string
  presented: Presented
}

/** The view a presented bearer opens, by the same conditions as an invoke; undefined when it opens none. */
export async function findGrantView(hub: Hub, holder: GrantHolder): Promise<GrantView | undefined> {
  const { caller, vault_id } = holder
  if (caller.vaults !== '*' && !caller.vaults.includes(vault_id)) return undefined
  const grant = await findGrantWith(hub, holder, SHOWN)
  if (!grant) return undefined
  const policy = hub.rulesOf(vault_id).policy.value
  const allowed = allowedToolIds(policy)
  const listed = grant.allowed_tools.filter((id) => allowed.has(id))
  const tools = await openTools(
    hub,
    vault_id,
    listed.map((id) => requireAllowedTool(policy, id)),
  )
  return { grant, tools }
}

/** The grant behind a bearer while it is neither revoked nor expired. */
export function findLiveGrant(hub: Hub, holder: GrantHolder): Promise<Grant | undefined> {
  return findGrantWith(hub, holder, ['life'])
}

async function findGrantWith(
  hub: Hub,
  holder: GrantHolder,
  parts: readonly Part[],
): Promise<Grant | undefined> {
  if (!VAULT_ID.test(holder.vault_id)) return undefined
  return findGrantFor({ ...holder, hub, rules: hub.rulesOf(holder.vault_id) }, parts)
}
