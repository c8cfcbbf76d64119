import { z } from 'zod'
import { NotYet } from '../../../operations/define-operation.ts'
import type { CallApproval } from '../../../platform/approvals/approval.ts'

const RETRY_SECONDS = 5

/** What a caller hears that has to come back: the same call again attaches to the same request. */
export const PendingOutput = z.strictObject({
  schema: z.literal('knowtation.approval_pending/v0'),
  approval_id: z.string(),
  expires_at: z.iso.datetime(),
  retry_after_seconds: z.int(),
})
export type PendingOutput = z.infer<typeof PendingOutput>

export function notYet({ approval_id, expires_at }: CallApproval): NotYet {
  const told = { approval_id, expires_at, retry_after_seconds: RETRY_SECONDS }
  return new NotYet({ schema: 'knowtation.approval_pending/v0', ...told }, RETRY_SECONDS)
}
