import type { Context, Effect } from '../../../operations/define-operation.ts'
import { requireVisibleScopes } from '../visibility.ts'
import type { ProposalReview } from './proposal-record.ts'
import { findProposal, lockProposal } from './proposal-store.ts'

type Asking = Context<{ proposal_id: string }, 'unknown_proposal' | 'FLOW_SCOPE_AMBIGUOUS', Effect>
type Deciding = Context<
  { proposal_id: string },
  'unknown_proposal' | 'FLOW_SCOPE_AMBIGUOUS' | 'FLOW_PROPOSAL_NOT_OPEN',
  'update'
>

/** The proposal that the input names, or one refusal for missing and invisible alike. */
export async function requireProposal(context: Asking): Promise<ProposalReview> {
  const { input, vault_id, db, refuse } = context
  const scopes = requireVisibleScopes(context)
  return (await findProposal(db, vault_id, input.proposal_id, scopes)) ?? refuse('unknown_proposal')
}

/** The same, undecided, and held so that nobody else decides it before this call has ended. */
export async function requireOpenProposal(context: Deciding): Promise<ProposalReview> {
  await lockProposal(context.db, context.vault_id, context.input.proposal_id)
  const proposal = await requireProposal(context)
  return proposal.status === 'proposed' ? proposal : context.refuse('FLOW_PROPOSAL_NOT_OPEN')
}
