import type { Hub } from '../../../operations/hub.ts'
import { judgeAll } from '../activation/conditions.ts'
import { type Facts, factsOf } from '../activation/facts.ts'
import { allowedToolIds, requireAllowedTool } from '../allowlist.ts'
import { openTools } from '../pins/open-tools.ts'
import { factsOfHolder, ownUse } from './check-grant.ts'
import { findGrant } from './grant-store.ts'
import { type GrantHolder, SHOWN } from './grant-view.ts'

/** One thing that decides what the holder of a grant is shown: how many tools came to it, and how many went on. */
export interface ToolFilter {
  readonly filter: string
  readonly before: number
  readonly after: number
  readonly detail: string
}

/** The tools of a grant that its holder sees, and how it came to these. For the owner; the holder sees the list alone. */
export interface ExplainedTools {
  readonly tools: readonly string[]
  readonly filters: readonly ToolFilter[]
}

/** The tools of a grant as whoever may see its flow would see them now. */
export function explainTools(hub: Hub, vault_id: string, grant_id: string): Promise<ExplainedTools> {
  const { db, env, locks } = hub
  const situation = {
    vault_id,
    db,
    env,
    locks,
    rules: hub.rulesOf(vault_id),
    now: hub.system.now(),
    caller: {},
  }
  return explain(factsOf({ ...situation, useOf: ownUse, findGrant: () => findGrant(db, vault_id, grant_id) }))
}

/** The tools of the grant that a holder presents. */
export function explainHeldTools(hub: Hub, holder: GrantHolder): Promise<ExplainedTools> {
  const rules = hub.rulesOf(holder.vault_id)
  return explain(factsOfHolder({ ...holder, hub, rules, db: hub.db, now: hub.system.now(), useOf: ownUse }))
}

/** A condition that does not hold takes all tools away; those that hold and take none are left out. */
async function explain(facts: Facts): Promise<ExplainedTools> {
  let tools = (await facts.grant())?.allowed_tools ?? []
  const granted = { filter: 'granted', before: tools.length, after: tools.length, detail: tools.join(', ') }
  const filters: ToolFilter[] = [granted]
  for (const { condition, holds, detail } of await judgeAll(facts, ['arrival', ...SHOWN])) {
    if (holds) continue
    filters.push({ filter: condition, before: tools.length, after: 0, detail })
    tools = []
  }
  const listed = allowedToolIds(facts.rules.policy.value)
  const left = tools.filter((id) => listed.has(id))
  const missing = tools.filter((id) => !listed.has(id))
  const detail = missing.length === 0 ? 'all are on it' : `not on it: ${missing.join(', ')}`
  filters.push({ filter: 'allowlist of the vault', before: tools.length, after: left.length, detail })
  const { db, vault_id, rules } = facts
  const granted_tools = left.map((id) => requireAllowedTool(rules.policy.value, id))
  const open = (await openTools({ db }, vault_id, granted_tools)).map(({ id }) => id)
  if (open.length < left.length) {
    const closed = left.filter((id) => !open.includes(id)).join(', ')
    const after = open.length
    filters.push({
      filter: 'as they were reviewed',
      before: left.length,
      after,
      detail: `changed: ${closed}`,
    })
  }
  return { tools: open, filters }
}
