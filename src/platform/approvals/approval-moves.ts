import { sql, type Transaction } from '../storage/database.ts'
import type { ApprovalReach, AskedCall, CallApproval } from './approval.ts'

/** A request waits so long for the owner. */
const WAITS_MS = 15 * 60_000
/** What was approved has to begin within this. */
const BEGINS_MS = 10 * 60_000
/** Who carries a call out says so anew within this; else nobody knows how it ended. */
export const LEASE_MS = 30_000
/** So long after its end the same call still belongs to the request; then it is a new one. */
const ATTACHES_MS = { executed: 120_000, failed: 30_000, unknown: 600_000, expired: 60_000 } as const
/** What ended can be looked up so long. */
const KEPT_MS = 30 * 86_400_000

const ask = sql(
  `INSERT INTO call_approvals (approval_id, live_key, vault_id, grant_id, flow_id, flow_version, tool_id, caller_kind,
     caller_id, client, mode, digest, shape, policy_revision, grant_ends_at, arguments_bytes, arguments_sealed, state, created_at,
     expires_at, fence, told)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, 0, 0)
   ON CONFLICT DO NOTHING`,
)
const decide = sql(
  `UPDATE call_approvals SET state = ?, decided_at = ?, decided_by = ?, decided_for = ?, reason = ?, expires_at = ?,
     attach_until = ?, arguments_sealed = NULL
   WHERE approval_id = ? AND digest = ? AND state = 'waiting' AND expires_at > ?`,
)
const claim = sql(
  `UPDATE call_approvals SET state = 'executing', fence = fence + 1, lease_until = ?
   WHERE approval_id = ? AND digest = ? AND state = 'approved' AND expires_at > ?`,
)
const renew = sql(
  `UPDATE call_approvals SET lease_until = ? WHERE approval_id = ? AND fence = ? AND state = 'executing'`,
)
// Who was thought to be gone and comes back knows how it ended: that is better than not to know.
const finish = sql(
  `UPDATE call_approvals SET state = ?, ended_at = ?, attach_until = ?, lease_until = NULL, result_code = ?,
     result_sealed = ?
   WHERE approval_id = ? AND fence = ? AND state IN ('executing', 'unknown') AND result_sealed IS NULL`,
)
const expire = sql(
  `UPDATE call_approvals SET state = 'expired', ended_at = ?, attach_until = ?, arguments_sealed = NULL
   WHERE state IN ('waiting', 'approved') AND expires_at <= ?`,
)
const loseSight = sql(
  `UPDATE call_approvals SET state = 'unknown', ended_at = ?, attach_until = ?, lease_until = NULL
   WHERE state = 'executing' AND lease_until <= ?`,
)
const letGo = sql(
  `UPDATE call_approvals SET live_key = NULL, result_sealed = NULL
   WHERE live_key IS NOT NULL AND attach_until IS NOT NULL AND attach_until <= ?`,
)
// The same call is asked about anew at once: what the owner looked at was another policy's.
const supersede = sql(
  `UPDATE call_approvals SET state = 'expired', live_key = NULL, ended_at = ?, attach_until = ?, arguments_sealed = NULL,
     reason = 'the policy has changed'
   WHERE vault_id = ? AND grant_id = ? AND tool_id = ? AND policy_revision <> ? AND state IN ('waiting', 'approved')`,
)
const tell = sql('UPDATE call_approvals SET told = ? WHERE approval_id = ? AND told = ?')
const purge = sql(`DELETE FROM call_approvals WHERE created_at < ? AND live_key IS NULL AND told = 2`)
const voidAll = sql(
  `UPDATE call_approvals SET state = CASE WHEN state = 'executing' THEN 'unknown' ELSE 'expired' END, ended_at = ?,
     attach_until = ?, lease_until = NULL, arguments_sealed = NULL, reason = 'the home was restored'
   WHERE state IN ('waiting', 'approved', 'executing')`,
)

type NewRequest = AskedCall &
  Pick<CallApproval, 'approval_id' | 'caller_kind' | 'caller_id' | 'client' | 'arguments_bytes'> & {
    readonly arguments_sealed: string
  }

/** Asks for the owner's word; answers false where the same call is asked about already. */
export async function askOwner(tx: Transaction, one: NewRequest, now: Date): Promise<boolean> {
  const { approval_id, digest, vault_id, grant_id, flow_id, flow_version, tool_id, mode, shape } = one
  const about = [
    vault_id,
    grant_id,
    flow_id,
    flow_version,
    tool_id,
    one.caller_kind,
    one.caller_id,
    one.client,
  ]
  const bytes = [one.policy_revision, one.grant_ends_at, one.arguments_bytes, one.arguments_sealed]
  const times = [now.toISOString(), after(now, WAITS_MS)]
  return (await tx.run(ask, approval_id, digest, ...about, mode, digest, shape, ...bytes, ...times)) === 1
}

interface Decision {
  readonly approval_id: string
  /** Of what the owner was shown. */
  readonly digest: string
  readonly decision: 'approve' | 'deny'
  readonly decided_by: string
  readonly decided_for: ApprovalReach
  readonly reason: string | null
  /** Until when it could be decided: a no counts as long for the same call. */
  readonly expires_at: string
}

/** The owner's word. Of two that are said one counts. */
export async function decideApproval(tx: Transaction, one: Decision, now: Date): Promise<boolean> {
  const isYes = one.decision === 'approve'
  const by = [now.toISOString(), one.decided_by, isYes ? one.decided_for : null, one.reason]
  const ends = isYes ? [after(now, BEGINS_MS), null] : [one.expires_at, one.expires_at]
  const state = isYes ? 'approved' : 'denied'
  const { approval_id, digest } = one
  return (await tx.run(decide, state, ...by, ...ends, approval_id, digest, now.toISOString())) === 1
}

/** Takes the one execution. Answers the fence under which its end is written; undefined where it cannot be had. */
export async function claimExecution(
  tx: Transaction,
  { approval_id, digest, fence }: Pick<CallApproval, 'approval_id' | 'digest' | 'fence'>,
  now: Date,
): Promise<number | undefined> {
  const taken = await tx.run(claim, after(now, LEASE_MS), approval_id, digest, now.toISOString())
  return taken === 1 ? fence + 1 : undefined
}

/** Says that the execution goes on; answers false where it is nobody's any more. */
export async function renewExecution(tx: Transaction, approval_id: string, fence: number, now: Date) {
  return (await tx.run(renew, after(now, LEASE_MS), approval_id, fence)) === 1
}

interface Ending {
  readonly approval_id: string
  readonly fence: number
  readonly state: 'executed' | 'failed' | 'unknown'
  readonly result_code: string | null
  readonly result_sealed: string | null
}

/** Keeps how the execution ended. */
export async function finishExecution(tx: Transaction, one: Ending, now: Date): Promise<void> {
  const { state, result_code, result_sealed, approval_id, fence } = one
  const ends = [now.toISOString(), after(now, ATTACHES_MS[state])]
  await tx.run(finish, state, ...ends, result_code, result_sealed, approval_id, fence)
}

/** Ends whatever is over by time, and lets go of what nobody can attach to any more. Answers whether something ended. */
export async function endOverdue(tx: Transaction, now: Date): Promise<boolean> {
  const at = now.toISOString()
  const expired = await tx.run(expire, at, after(now, ATTACHES_MS.expired), at)
  const lost = await tx.run(loseSight, at, after(now, ATTACHES_MS.unknown), at)
  await tx.run(letGo, at)
  return expired + lost > 0
}

/** Ends what was asked or approved under another policy. */
export async function endSuperseded(tx: Transaction, call: AskedCall, now: Date): Promise<boolean> {
  const { vault_id, grant_id, tool_id, policy_revision } = call
  const at = now.toISOString()
  return (await tx.run(supersede, at, at, vault_id, grant_id, tool_id, policy_revision)) > 0
}

/** Keeps that the next thing about a request was told; answers false where another hub did so. */
export async function markTold(
  tx: Transaction,
  { approval_id, told }: { approval_id: string; told: number },
) {
  return (await tx.run(tell, told + 1, approval_id, told)) === 1
}

/** What was open in a copy of the store may have been carried out since the copy was made. */
export async function endRestored(tx: Transaction, now: Date): Promise<void> {
  await tx.run(voidAll, now.toISOString(), after(now, ATTACHES_MS.unknown))
}

/** Forgets what ended long ago. */
export async function purgeApprovals(tx: Transaction, now: Date): Promise<void> {
  await tx.run(purge, new Date(now.getTime() - KEPT_MS).toISOString())
}

function after(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString()
}
