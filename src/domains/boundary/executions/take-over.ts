import { type AgentInput, parseAgentInput } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { StorageDamaged, type Transaction } from '../../../platform/storage/database.ts'
import type { WorkKey } from '../../../platform/work/work-table.ts'
import { findEngine } from '../engines/find-engine.ts'
import { endClaimed } from './end-execution.ts'
import { executionError, outcomeOf } from './execution-outcome.ts'
import { type ExecutionRow, lockExecution, writeExecution } from './execution-store.ts'
import { executionWork } from './execution-work.ts'
import type { Job } from './job.ts'

/** An attempt that has lost its hub so often is given up: it may be what stops them. */
const RUN_LIMIT = 3

/**
 * Claims an execution whose hub has stopped. Engines remember nothing, so it is simply called again; one that cannot
 * be ends here.
 */
export async function takeOver(
  tx: Transaction,
  hub: Hub,
  key: WorkKey<'vault_id' | 'run_id'>,
  owner: string,
): Promise<Job | undefined> {
  const claim = await executionWork.claim(tx, hub, key, owner)
  const found = claim && (await lockExecution(tx, key.vault_id, key.run_id))
  if (!claim || !found) return undefined
  tx.afterCommit(() => void hub.takeovers.execution++)
  const updated_at = hub.system.now().toISOString()
  const row = { ...found, runs: found.runs + 1, state: 'running' as const, updated_at }
  await writeExecution(tx, row)
  const { vault_id, tenant_id, robot_id, attempt } = row
  const engine = findEngine(hub.rulesOf(vault_id).policy.value, row.engine, { tenant_id, robot_id })
  if (engine && row.runs <= RUN_LIMIT) return { ...claim, attempt, engine, input: storedInput(row) }
  const code = row.runs > RUN_LIMIT ? 'ENGINE_INTERRUPTED' : 'ENGINE_UNAVAILABLE'
  await endClaimed(tx, hub, claim, async (_tx, _row, now) =>
    outcomeOf('failed', now, { error: executionError(code) }),
  )
  return undefined
}

function storedInput({ input_json }: ExecutionRow): AgentInput {
  const stored = parseAgentInput(JSON.parse(input_json ?? 'null'))
  if (!stored.ok) throw new StorageDamaged('A stored input is not as it was written.')
  return stored.value
}
