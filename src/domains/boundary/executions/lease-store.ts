import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { ExecutionRow } from './execution-store.ts'

/** What a hub holds when it works on an execution. Whoever lacks the newest claim can write nothing. */
export interface Claim {
  vault_id: string
  run_id: string
  claim: string
}

const LIVE = `state IN ('planned', 'running')`

const ofOwner = sql<Claim>(
  `SELECT vault_id, run_id, claim FROM boundary_executions WHERE owner = ? AND ${LIVE} LIMIT ?`,
)
const renew = sql(`UPDATE boundary_executions SET lease_until = ? WHERE owner = ? AND ${LIVE}`)
// Whoever lets go on purpose has not lost the execution: this run of it does not count.
const letGo = sql(
  `UPDATE boundary_executions SET lease_until = '0', runs = runs - 1 WHERE owner = ? AND lease_until <> '0' AND ${LIVE}`,
)
const release = sql(
  `UPDATE boundary_executions SET lease_until = ? WHERE vault_id = ? AND run_id = ? AND claim = ? AND ${LIVE}`,
)
const begin = sql(
  `UPDATE boundary_executions SET state = 'running', updated_at = ?
   WHERE vault_id = ? AND run_id = ? AND claim = ? AND ${LIVE}`,
)
const setProgress = sql(
  `UPDATE boundary_executions SET progress_json = ?, updated_at = ?
   WHERE vault_id = ? AND run_id = ? AND claim = ? AND state = 'running'`,
)
const abandoned = sql<{ vault_id: string; run_id: string }>(
  `SELECT vault_id, run_id FROM boundary_executions WHERE lease_until < ? AND ${LIVE} ORDER BY lease_until LIMIT ?`,
)

/** The claims a hub still has: one that is gone was cancelled, or taken over by another hub. */
export async function listClaims(db: Reader, owner: string, limit: number): Promise<Claim[]> {
  return db.all(ofOwner, owner, limit)
}

/** Lets everybody take over at once all that a hub works on. */
export async function letGoOfAll(tx: Transaction, owner: string): Promise<void> {
  await tx.run(letGo, owner)
}

/** Keeps all that a hub works on from being taken over. */
export async function renewLeases(tx: Transaction, owner: string, lease_until: string): Promise<void> {
  await tx.run(renew, lease_until, owner)
}

/** Begins to work on a claimed execution. Answers false when it is no longer the claim's to run. */
export async function beginRunning(tx: Transaction, claim: Claim, at: string): Promise<boolean> {
  return (await tx.run(begin, at, claim.vault_id, claim.run_id, claim.claim)) === 1
}

/** Lets go of single claims. */
export async function releaseClaims(
  tx: Transaction,
  claims: readonly Claim[],
  lease_until: string,
): Promise<void> {
  const lists = claims.map(({ vault_id, run_id, claim }) => [lease_until, vault_id, run_id, claim])
  await tx.runEach(release, lists)
}

export async function writeProgress(
  tx: Transaction,
  claim: Claim,
  progress_json: string,
  at: string,
): Promise<void> {
  await tx.run(setProgress, progress_json, at, claim.vault_id, claim.run_id, claim.claim)
}

/** Executions that a hub has let go of, or that lost their hub, longest ago first. */
export async function listAbandoned(db: Reader, now: string, limit: number) {
  return db.all(abandoned, now, limit)
}

/** Whether nobody works on an execution any more. */
export function isAbandoned({ lease_until, state }: ExecutionRow, now: string): boolean {
  return (state === 'planned' || state === 'running') && (lease_until === null || lease_until < now)
}
