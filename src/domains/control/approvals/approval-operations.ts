import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { Labels, labelled, ownersLabels } from '../../../operations/present/labels.ts'
import { listApprovals } from '../../../platform/approvals/approval-reads.ts'
import { isSealFault } from '../../../platform/secrets/sealed-secrets.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { decisionOperations } from './approval-decide.ts'
import {
  ApprovalId,
  ApprovalInFull,
  ApprovalShape,
  ApprovalState,
  approvalErrors,
  showApproval,
  showInFull,
} from './approval-shapes.ts'
import { findOfVault } from './find-of-vault.ts'

const PAGE_LIMIT = 200

export const ApprovalListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(ApprovalShape),
  truncated: z.boolean(),
  labels: Labels.optional(),
})

const ownerApprovalList = defineOwnerOperation({
  name: 'owner_approval_list',
  summary: 'List calls that wait, or waited, for the word of the owner, newest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/approvals',
  cli: 'approval list',
  errors: {},
  input: z.strictObject({
    state: ApprovalState.optional().describe('Only those in this state, such as waiting'),
    limit: z.int().min(1).max(PAGE_LIMIT).default(50).describe('At most so many'),
  }),
  output: ApprovalListOutput,
  present: async () => (await import('./present-approvals.ts')).presentApprovals,
  async handle({ input: { state, limit }, db, vault_id, caller }) {
    const found = await listApprovals(db, vault_id, state, limit + 1)
    const data = found.slice(0, limit).map(showApproval)
    const ids = data.flatMap(({ grant_id, caller_id }) => [grant_id, caller_id])
    const labels = await ownersLabels({ db, vault_id, caller }, ids)
    return { object: 'list' as const, data, truncated: found.length > limit, ...labelled(labels) }
  },
})

const ownerApprovalShow = defineOwnerOperation({
  name: 'owner_approval_show',
  summary: 'Show one call that waits for the word of the owner, with all that the tool would be given.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/approvals/{approval_id}',
  cli: 'approval show <approval_id>',
  errors: approvalErrors.pick('unknown_approval', 'approval_unreadable'),
  target: ({ approval_id }) => ({ kind: 'approval', id: approval_id }),
  input: z.strictObject({ approval_id: ApprovalId }),
  output: ApprovalInFull,
  present: async () => (await import('./present-approvals.ts')).presentApproval,
  async handle(context) {
    const approval = await findOfVault(context)
    try {
      return showInFull(context.hub, approval)
    } catch (error) {
      if (isSealFault(error)) return context.refuse('approval_unreadable')
      throw error
    }
  },
})

export const approvalOperations = [ownerApprovalList, ownerApprovalShow, ...decisionOperations]
