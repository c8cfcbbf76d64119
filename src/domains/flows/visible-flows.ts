import type { Hub } from '../../operations/hub.ts'
import { VAULT_ID } from '../../platform/basics/home.ts'
import type { Caller } from '../../platform/identity/caller.ts'
import { findVisibleScopes } from '../../platform/policy/visible-scopes.ts'
import { MAX_FLOW_SUMMARIES } from './bundle/limits.ts'
import { listFlowSummaries } from './flow-summaries.ts'

/** A text that is another one as soon as a list of flows would show the caller anything else. Nothing of it is shown. */
export async function visibleFlowsMark(hub: Hub, caller: Caller, vault_id: string): Promise<string> {
  const isMember = caller.vaults === '*' || caller.vaults.includes(vault_id)
  if (!isMember || !VAULT_ID.test(vault_id)) return ''
  const visible = findVisibleScopes(caller, hub.rulesOf(vault_id)) ?? []
  const limit = MAX_FLOW_SUMMARIES
  return (
    await listFlowSummaries(hub.db, { vault_id, listed: visible, visible, tag: undefined, limit })
  ).join()
}
