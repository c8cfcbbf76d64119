import { hash } from 'node:crypto'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import type { ApprovalReach, AskedCall, CallApproval } from './approval.ts'

/** "For this grant" lasts so long. */
const GRANT_PERMIT_MS = 3_600_000

const permit = sql(
  `INSERT INTO call_permits (permit_key, vault_id, grant_id, tool_id, approval_id, permitted_until)
   VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (permit_key) DO UPDATE SET approval_id = excluded.approval_id, permitted_until = excluded.permitted_until`,
)
const standing = sql<{ approval_id: string }>(
  'SELECT approval_id FROM call_permits WHERE permit_key IN (?, ?) AND permitted_until > ? LIMIT 1',
)
const purge = sql('DELETE FROM call_permits WHERE permitted_until < ?')
const voidAll = sql('DELETE FROM call_permits')

/** What the owner has allowed so that this call need not ask: this tool under this grant, or calls of this shape. */
export async function findPermit(db: Reader, call: AskedCall, now: Date): Promise<string | undefined> {
  const shaped = call.mode === 'first_call' ? keyOf(call, call.shape) : ''
  return (await db.get(standing, keyOf(call, '*'), shaped, now.toISOString()))?.approval_id
}

/** Keeps what a yes allows beyond the one call. */
export async function keepPermits(
  tx: Transaction,
  approval: CallApproval,
  { reach, now }: { reach: ApprovalReach; now: Date },
): Promise<void> {
  const keep = (part: string, until: string) =>
    tx.run(
      permit,
      keyOf(approval, part),
      approval.vault_id,
      approval.grant_id,
      approval.tool_id,
      approval.approval_id,
      until,
    )
  if (reach === 'grant') await keep('*', new Date(now.getTime() + GRANT_PERMIT_MS).toISOString())
  if (approval.mode === 'first_call') await keep(approval.shape, approval.grant_ends_at)
}

export async function purgePermits(tx: Transaction, now: Date): Promise<void> {
  await tx.run(purge, now.toISOString())
}

/** A copy of the store may hold what was taken back since. */
export async function endPermits(tx: Transaction): Promise<void> {
  await tx.run(voidAll)
}

// Under another revision of the policy the tool may be another one: then it asks again.
function keyOf({ vault_id, grant_id, tool_id, policy_revision }: AskedCall, part: string): string {
  return hash('sha256', JSON.stringify([vault_id, grant_id, tool_id, policy_revision, part]))
}
