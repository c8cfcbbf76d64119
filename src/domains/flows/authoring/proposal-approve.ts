import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { authorName, isOwnWork } from '../own-work.ts'
import { PlainText } from '../plain-text.ts'
import { authoringGate, proposalTarget } from './authoring-input.ts'
import { addSuccessor } from './lineage.ts'
import { DraftDigest, ProposalId, ProposalReview } from './proposal-record.ts'
import { type Decision, decideProposal, readDraft } from './proposal-store.ts'
import { requireOpenProposal } from './require-proposal.ts'

const WAIVER_CHARS = 2_000
const SHORTEST_WAIVER_CHARS = 3

export const proposalApprove = defineOperation({
  name: 'proposal_approve',
  opens: true,
  summary: 'Approve a proposal: its draft becomes the newest version of the flow, for good.',
  description:
    'Approve a proposal: its draft becomes the newest version of the flow, for good. Over MCP, whoever made a proposal cannot approve it (FLOW_SELF_APPROVAL_DENIED): leave it to a person, who runs `knowtation proposal approve`. EVALUATION_REQUIRED asks for a passed proposal_evaluate first, or for a waiver_reason.',
  effect: 'update',
  authority: vaultMember('admin'),
  // Approving is what writes: with authoring off no flow changes, however many proposals wait.
  gate: authoringGate,
  rest: 'POST /api/v1/proposals/{proposal_id}/approve',
  mcp: true,
  cli: 'proposal approve <proposal_id>',
  errors: flowErrors.pick(
    'unknown_proposal',
    'FLOW_AUTHORING_DISABLED',
    'FLOW_AUTHORING_POLICY_FORBIDDEN',
    'FLOW_SCOPE_AMBIGUOUS',
    'FLOW_PROPOSAL_NOT_OPEN',
    'FLOW_PROPOSAL_CHANGED',
    'FLOW_SELF_APPROVAL_DENIED',
    'EVALUATION_REQUIRED',
    'FLOW_LINEAGE_CONFLICT',
  ),
  target: proposalTarget,
  input: z.strictObject({
    proposal_id: ProposalId,
    waiver_reason: PlainText(WAIVER_CHARS)
      .optional()
      .describe('Why it is approved without a passed evaluation'),
    digest: DraftDigest.optional().describe('The digest of the draft that was read: approve this or nothing'),
  }),
  output: ProposalReview,
  present: async () => (await import('./present-proposals.ts')).presentDecision,
  async handle(context) {
    const { input, caller, vault_id, db, now, refuse } = context
    const proposal = await requireOpenProposal(context)
    if (isOwnWork(context, proposal.created_by)) refuse('FLOW_SELF_APPROVAL_DENIED')
    if (!mayPass(proposal, input.waiver_reason)) refuse('EVALUATION_REQUIRED')
    const { draft, draft_digest } = await readDraft(db, vault_id, proposal.proposal_id)
    if (input.digest !== undefined && input.digest !== draft_digest) refuse('FLOW_PROPOSAL_CHANGED')
    if (!(await addSuccessor(db, vault_id, proposal, draft, now))) refuse('FLOW_LINEAGE_CONFLICT')
    const made: Decision = {
      status: 'approved',
      waiver_reason: input.waiver_reason ?? null,
      decided_at: now.toISOString(),
      decided_by: authorName(caller),
    }
    await decideProposal(db, vault_id, proposal.proposal_id, made)
    return { ...proposal, ...made }
  },
})

function mayPass({ evaluation_status }: ProposalReview, waiver_reason = ''): boolean {
  const isClear = evaluation_status === 'none' || evaluation_status === 'passed'
  return isClear || waiver_reason.trim().length >= SHORTEST_WAIVER_CHARS
}
