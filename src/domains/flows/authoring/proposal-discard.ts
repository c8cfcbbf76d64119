import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { authorName } from '../own-work.ts'
import { proposalTarget } from './authoring-input.ts'
import { ProposalId, ProposalReview } from './proposal-record.ts'
import { type Decision, decideProposal } from './proposal-store.ts'
import { requireOpenProposal } from './require-proposal.ts'

export const proposalDiscard = defineOperation({
  name: 'proposal_discard',
  summary: 'Discard a proposal for good. The flow stays as it is.',
  effect: 'update',
  authority: vaultMember('admin'),
  rest: 'POST /api/v1/proposals/{proposal_id}/discard',
  mcp: true,
  cli: 'proposal discard <proposal_id>',
  errors: flowErrors.pick('unknown_proposal', 'FLOW_SCOPE_AMBIGUOUS', 'FLOW_PROPOSAL_NOT_OPEN'),
  target: proposalTarget,
  input: z.strictObject({ proposal_id: ProposalId }),
  output: ProposalReview,
  present: async () => (await import('./present-proposals.ts')).presentDecision,
  async handle(context) {
    const { caller, vault_id, db, now } = context
    const proposal = await requireOpenProposal(context)
    const made: Decision = {
      status: 'discarded',
      waiver_reason: null,
      decided_at: now.toISOString(),
      decided_by: authorName(caller),
    }
    await decideProposal(db, vault_id, proposal.proposal_id, made)
    return { ...proposal, ...made }
  },
})
