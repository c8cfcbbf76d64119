import { type AgentInput, parseAgentInput } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { mayBeginNothing } from '../../../operations/rest-while-locked.ts'
import { StorageDamaged } from '../../../platform/storage/database.ts'
import { findEngine } from '../engines/find-engine.ts'
import { endExecution } from './end-execution.ts'
import { executionError, outcomeOf } from './execution-outcome.ts'
import { type ExecutionRow, lockExecution, writeExecution } from './execution-store.ts'
import { type Claim, isAbandoned, listAbandoned } from './lease-store.ts'
import { runnerOf } from './runner.ts'

/** Executions taken over in one go. */
const BATCH = 50
/** An attempt that has lost its hub so often is given up: it may be what stops them. */
const RUN_LIMIT = 3

/** Goes on with executions whose hub has stopped. Engines remember nothing, so they are simply called again. */
export async function takeOverAbandoned(hub: Hub): Promise<void> {
  if (await mayBeginNothing(hub)) return
  const found = await listAbandoned(hub.db, hub.system.now().toISOString(), BATCH)
  for (const { vault_id, run_id } of found) await takeOver(hub, vault_id, run_id)
}

/** Claims an execution that nobody works on, and starts it here. */
export async function takeOver(hub: Hub, vault_id: string, run_id: string): Promise<void> {
  const runner = runnerOf(hub)
  if (!runner.hasRoom()) return
  const row = await hub.db.transaction(async (tx): Promise<ExecutionRow | undefined> => {
    const now = hub.system.now().toISOString()
    const found = await lockExecution(tx, vault_id, run_id)
    if (!found || !isAbandoned(found, now)) return undefined
    const claimed = {
      ...found,
      owner: runner.owner,
      claim: hub.system.random(12),
      lease_until: runner.leaseUntil(),
      runs: found.runs + 1,
      state: 'running' as const,
      updated_at: now,
    }
    await writeExecution(tx, claimed)
    return claimed
  })
  if (row) await goOn(hub, row)
}

async function goOn(hub: Hub, row: ExecutionRow): Promise<void> {
  const { vault_id, run_id, tenant_id, robot_id } = row
  const claim: Claim = { vault_id, run_id, claim: row.claim as string }
  if (row.runs > RUN_LIMIT) return giveUp(hub, claim, 'ENGINE_INTERRUPTED')
  const engine = findEngine(hub.rulesOf(vault_id).policy.value, row.engine, { tenant_id, robot_id })
  if (!engine) return giveUp(hub, claim, 'ENGINE_UNAVAILABLE')
  runnerOf(hub).start(claim, row.attempt, storedInput(row), engine)
}

async function giveUp(
  hub: Hub,
  claim: Claim,
  code: 'ENGINE_INTERRUPTED' | 'ENGINE_UNAVAILABLE',
): Promise<void> {
  await endExecution(hub, claim, async (_tx, _row, now) =>
    outcomeOf('failed', now, { error: executionError(code) }),
  )
}

function storedInput({ input_json }: ExecutionRow): AgentInput {
  const stored = parseAgentInput(JSON.parse(input_json ?? 'null'))
  if (!stored.ok) throw new StorageDamaged('A stored input is not as it was written.')
  return stored.value
}
