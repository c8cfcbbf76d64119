import type { Context, Effect } from '../../../operations/define-operation.ts'
import type { CallApproval } from '../../../platform/approvals/approval.ts'
import { findApproval } from '../../../platform/approvals/approval-reads.ts'

type Asking = Pick<
  Context<{ approval_id: string }, 'unknown_approval', Effect>,
  'input' | 'db' | 'vault_id' | 'refuse'
>

/** The request of this vault; of another one's nothing is told. */
export async function findOfVault({ input, db, vault_id, refuse }: Asking): Promise<CallApproval> {
  const approval = await findApproval(db, input.approval_id)
  return approval?.vault_id === vault_id ? approval : refuse('unknown_approval')
}
