import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { authorName, isOwnWork } from '../own-work.ts'
import { NonBlankText } from '../plain-text.ts'
import { proposalTarget } from './authoring-input.ts'
import { ProposalId, ProposalReview } from './proposal-record.ts'
import { type Evaluation, evaluateProposal } from './proposal-store.ts'
import { requireOpenProposal } from './require-proposal.ts'

const COMMENT_CHARS = 4_000
const STATUS_OF = { pass: 'passed', fail: 'failed', needs_changes: 'needs_changes' } as const

export const proposalEvaluate = defineOperation({
  name: 'proposal_evaluate',
  summary: 'Evaluate an open proposal. The newest evaluation counts.',
  effect: 'update',
  idempotent: true,
  authority: vaultMember('evaluate'),
  rest: 'POST /api/v1/proposals/{proposal_id}/evaluation',
  mcp: true,
  cli: 'proposal evaluate <proposal_id>',
  errors: flowErrors.pick(
    'unknown_proposal',
    'FLOW_SCOPE_AMBIGUOUS',
    'FLOW_PROPOSAL_NOT_OPEN',
    'FLOW_SELF_APPROVAL_DENIED',
  ),
  target: proposalTarget,
  input: z.strictObject({
    proposal_id: ProposalId,
    outcome: z.enum(['pass', 'fail', 'needs_changes']).describe('What the evaluation found'),
    comment: NonBlankText(COMMENT_CHARS).optional().describe('What is wrong; required unless it passed'),
  }),
  output: ProposalReview,
  present: async () => (await import('./present-proposals.ts')).presentDecision,
  async handle(context) {
    const { input, caller, vault_id, db, now, refuse } = context
    if (input.outcome !== 'pass' && input.comment === undefined) {
      refuse('BAD_REQUEST', 'comment is required unless the outcome is pass.')
    }
    const proposal = await requireOpenProposal(context)
    if (input.outcome === 'pass' && isOwnWork(context, proposal.created_by))
      refuse('FLOW_SELF_APPROVAL_DENIED')
    const made: Evaluation = {
      evaluation_status: STATUS_OF[input.outcome],
      evaluation_comment: input.comment ?? null,
      evaluated_at: now.toISOString(),
      evaluated_by: authorName(caller),
    }
    await evaluateProposal(db, vault_id, proposal.proposal_id, made)
    return { ...proposal, ...made }
  },
})
