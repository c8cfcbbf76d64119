import { type Reader, sql } from '../storage/database.ts'
import type { ApprovalState, CallApproval } from './approval.ts'

const COLUMNS = `approval_id, vault_id, grant_id, flow_id, flow_version, tool_id, caller_kind, caller_id, client, mode, digest,
  shape, policy_revision, grant_ends_at, arguments_bytes, arguments_sealed, state, created_at, expires_at, decided_at, decided_by,
  decided_for, reason, fence, lease_until, ended_at, result_code, result_sealed`

const byId = sql<CallApproval>(`SELECT ${COLUMNS} FROM call_approvals WHERE approval_id = ?`)
const byKey = sql<CallApproval>(`SELECT ${COLUMNS} FROM call_approvals WHERE live_key = ?`)
const newest = sql<CallApproval>(
  `SELECT ${COLUMNS} FROM call_approvals WHERE vault_id = ? AND (state = ? OR ? = '')
   ORDER BY created_at DESC, approval_id DESC LIMIT ?`,
)
const untold = sql<CallApproval & { told: number }>(
  `SELECT ${COLUMNS}, told FROM call_approvals
   WHERE told = 0 OR (told = 1 AND state <> 'waiting') ORDER BY created_at, approval_id LIMIT ?`,
)
const waitingOf = sql<{ grant_id: string; waiting: number; bytes: number }>(
  `SELECT grant_id, COUNT(*) AS waiting, SUM(arguments_bytes) AS bytes FROM call_approvals
   WHERE vault_id = ? AND state = 'waiting' GROUP BY grant_id`,
)
const waitingNow = sql<{ waiting: number; oldest: string | null }>(
  `SELECT COUNT(*) AS waiting, MIN(created_at) AS oldest FROM call_approvals
   WHERE state = 'waiting' AND expires_at > ?`,
)

export function findApproval(db: Reader, approval_id: string): Promise<CallApproval | undefined> {
  return db.get(byId, approval_id)
}

/** The request that the same call attaches to. */
export function findLiveApproval(db: Reader, digest: string): Promise<CallApproval | undefined> {
  return db.get(byKey, digest)
}

/** The newest requests of a vault, in one state or in any. */
export function listApprovals(
  db: Reader,
  vault_id: string,
  state: ApprovalState | undefined,
  limit: number,
): Promise<CallApproval[]> {
  return db.all(newest, vault_id, state ?? '', state ?? '', limit)
}

/** Requests with something that nobody was told of yet: that they came (0), or how they ended (1). */
export function listUntold(db: Reader, limit: number): Promise<(CallApproval & { told: number })[]> {
  return db.all(untold, limit)
}

/** How much waits in a vault, and of one grant. */
export async function countWaiting(db: Reader, vault_id: string, grant_id: string) {
  const rows = await db.all(waitingOf, vault_id)
  const sum = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + Number(pick(row)), 0)
  return {
    of_grant: Number(rows.find((row) => row.grant_id === grant_id)?.waiting ?? 0),
    of_vault: sum(({ waiting }) => waiting),
    bytes: sum(({ bytes }) => bytes),
  }
}

/** How many wait for the owner in all vaults, and since when the oldest does. */
export async function measureWaiting(
  db: Reader,
  now: Date,
): Promise<{ waiting: number; oldest: string | null }> {
  const found = await db.get(waitingNow, now.toISOString())
  return { waiting: Number(found?.waiting ?? 0), oldest: found?.oldest ?? null }
}
