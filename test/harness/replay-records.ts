import { replayCall } from '../../src/domains/flows/policy/check/compare-policies.ts'
import type { Hub } from '../../src/operations/hub.ts'
import { listAudit } from '../../src/platform/audit/read-audit.ts'
import { listVaults } from '../../src/platform/basics/home.ts'

const LIMIT = 500

/**
 * The newest calls on record that the policy of their time would decide otherwise when they are replayed: `policy check
 * --against` rests on there being none. The environment is not on record, so a hub whose gates it turned is not asked.
 */
export async function findReplayFaults(hub: Hub): Promise<string[]> {
  const faults: string[] = []
  for (const vault_id of listVaults(hub.home)) {
    const rules = hub.rulesOf(vault_id)
    const asked = { vault_id, operation: 'flow_external_tool_invoke', before_seq: undefined, limit: LIMIT }
    for (const record of (await listAudit(hub.db, asked)).records) {
      if (record.policy_revision !== rules.revision) continue
      const then = await replayCall(hub, rules, record)
      if (then !== record.code) faults.push(`record ${record.seq}: ${record.code}, replayed ${then}`)
    }
  }
  return faults
}
