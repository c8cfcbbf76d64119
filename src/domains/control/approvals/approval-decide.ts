import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Context } from '../../../operations/define-operation.ts'
import { wakeTeller } from '../../../platform/approvals/approval.ts'
import { decideApproval } from '../../../platform/approvals/approval-moves.ts'
import { findApproval } from '../../../platform/approvals/approval-reads.ts'
import { keepPermits } from '../../../platform/approvals/permits.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { ApprovalId, ApprovalShape, approvalErrors, showApproval } from './approval-shapes.ts'
import { findOfVault } from './find-of-vault.ts'

const errors = approvalErrors.pick('unknown_approval', 'approval_decided', 'approval_changed')
const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const Reason = z.string().trim().min(1).max(500).optional()
const REASON = 'Why, for your own record'
const For = z.enum(['call', 'grant']).default('call')
const FOR = 'This one call, or every call of the tool under this grant for an hour'

interface Decision {
  readonly approval_id: string
  readonly decision: 'approve' | 'deny'
  readonly digest?: string | undefined
  readonly for?: 'call' | 'grant'
  readonly reason?: string | undefined
}
type Deciding = Context<Decision, keyof typeof errors, 'update'>

const common = {
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  errors,
  target: ({ approval_id }: { approval_id: string }) => ({ kind: 'approval', id: approval_id }),
  output: ApprovalShape,
} as const

/** Never over MCP, by a token, by the hub token or by an agent of the owner's: whoever asks must not answer. */
const ownerApprovalDecide = defineOwnerOperation({
  ...common,
  name: 'owner_approval_decide',
  opens: true,
  summary: 'Say yes or no to a call that waits, as it was shown.',
  rest: 'POST /v1/owner/approvals/{approval_id}/decision',
  input: z.strictObject({
    approval_id: ApprovalId,
    decision: z.enum(['approve', 'deny']).describe('Yes or no'),
    digest: Digest.describe('The digest of what was shown'),
    for: For.describe(FOR),
    reason: Reason.describe(REASON),
  }),
  handle: (context) => decide(context),
})

const approve = defineOwnerOperation({
  ...common,
  name: 'owner_approval_approve',
  opens: true,
  summary: 'Let a call that waits be carried out, once.',
  cli: 'approval approve <approval_id>',
  input: z.strictObject({
    approval_id: ApprovalId,
    digest: Digest.optional().describe('The digest of what you have seen, where it has to be just that'),
    for: For.describe(FOR),
    reason: Reason.describe(REASON),
  }),
  present: async () => (await import('./present-approvals.ts')).presentDecision,
  handle: (context) => decide({ ...context, input: { ...context.input, decision: 'approve' } }),
})

const deny = defineOwnerOperation({
  ...common,
  name: 'owner_approval_deny',
  summary: 'Refuse a call that waits. Nothing is sent.',
  whileLocked: true,
  cli: 'approval deny <approval_id>',
  input: z.strictObject({ approval_id: ApprovalId, reason: Reason.describe(REASON) }),
  present: async () => (await import('./present-approvals.ts')).presentDecision,
  handle: (context) => decide({ ...context, input: { ...context.input, decision: 'deny' } }),
})

export const decisionOperations = [ownerApprovalDecide, approve, deny]

/** The owner's word counts for what was shown, under the policy that it was shown under. */
async function decide(context: Deciding): Promise<z.output<typeof ApprovalShape>> {
  const { input, db, hub, now, caller, rules, refuse } = context
  const approval = await findOfVault(context)
  const { approval_id, digest, expires_at } = approval
  const isYes = input.decision === 'approve'
  const isOther = input.digest !== undefined && input.digest !== digest
  // A no needs no policy to be the same.
  if (isOther || (isYes && rules.revision !== approval.policy_revision)) return refuse('approval_changed')
  const decided_for = input.for ?? 'call'
  const said = { decision: input.decision, decided_for, reason: input.reason ?? null }
  const by = { decided_by: `${caller.kind}:${caller.id}`, expires_at }
  if (!(await decideApproval(db, { approval_id, digest, ...said, ...by }, now)))
    return refuse('approval_decided')
  if (isYes) await keepPermits(db, approval, { reach: decided_for, now })
  wakeTeller(db, hub)
  return showApproval((await findApproval(db, approval_id)) ?? approval)
}
