import { sql, type Transaction } from '../../../platform/storage/database.ts'
import { defineWork, LET_GO, type WorkClaim } from '../../../platform/work/work-table.ts'

/** What a hub holds when it works on an execution. */
export type Claim = WorkClaim<'vault_id' | 'run_id'>

const LIVE = `state IN ('planned', 'running')`

/** Executions are leased in their own rows. A cancelled one is no longer live, and so stops its engine. */
export const executionWork = defineWork({
  table: 'boundary_executions',
  key: ['vault_id', 'run_id'],
  fence: 'claim',
  isFenceDrawn: true,
  open: LIVE,
  wanted: LIVE,
})

// Whoever lets go on purpose has not lost the execution: this run of it does not count.
const letGo = sql(
  `UPDATE boundary_executions SET lease_until = '${LET_GO}', runs = runs - 1
   WHERE owner = ? AND lease_until <> '${LET_GO}' AND ${LIVE}`,
)
const begin = sql(
  `UPDATE boundary_executions SET state = 'running', updated_at = ?
   WHERE vault_id = ? AND run_id = ? AND claim = ? AND ${LIVE}`,
)
const setProgress = sql(
  `UPDATE boundary_executions SET progress_json = ?, updated_at = ?
   WHERE vault_id = ? AND run_id = ? AND claim = ? AND state = 'running'`,
)

/** Lets everybody take over at once all that a hub works on. */
export async function letGoOfAll(tx: Transaction, owner: string): Promise<void> {
  await tx.run(letGo, owner)
}

/** Begins to work on a claimed execution. Answers false when it is no longer the claim's to run. */
export async function beginRunning(tx: Transaction, claim: Claim, at: string): Promise<boolean> {
  return (await tx.run(begin, at, claim.vault_id, claim.run_id, claim.fence)) === 1
}

export async function writeProgress(
  tx: Transaction,
  claim: Claim,
  progress_json: string,
  at: string,
): Promise<void> {
  await tx.run(setProgress, progress_json, at, claim.vault_id, claim.run_id, claim.fence)
}
