import { z } from 'zod'
import { FlowId, ScopeName } from '../flow-schemas.ts'

export const PROPOSAL_SCHEMA = 'knowtation.flow_proposal/v0'
export const PROPOSAL_REVIEW_SCHEMA = 'knowtation.flow_proposal_review/v0'
export const REVIEW_QUEUE = 'flow-authoring'

export const PROPOSAL_STATUSES = ['proposed', 'approved', 'discarded'] as const
const EVALUATION_STATUSES = ['none', 'pending', 'passed', 'failed', 'needs_changes'] as const
const PROPOSAL_KINDS = ['new', 'edit', 'import'] as const

/** Any id of this form is looked up, so that a made-up one is unknown like any other. */
export const ProposalId = z
  .string()
  .regex(/^prop_[a-z0-9_]{1,48}$/)
  .describe('The id of the proposal')

/** What a draft is, byte for byte. */
export const DraftDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/)

const identity = {
  proposal_id: ProposalId,
  flow_id: FlowId,
  base_version: z.string().nullable(),
  base_state_id: z.string().nullable(),
  scope: ScopeName,
  auto_approvable: z.boolean(),
}

/** A proposal as whoever made it gets it back. */
export const Proposal = z
  .strictObject({
    schema: z.literal(PROPOSAL_SCHEMA),
    ...identity,
    status: z.literal('proposed'),
    review_queue: z.literal(REVIEW_QUEUE),
  })
  .meta({ id: 'FlowProposal' })
export type Proposal = z.infer<typeof Proposal>

/** A proposal as a reviewer sees it: where it came from and what has become of it, without the draft. */
export const ProposalReview = z
  .strictObject({
    schema: z.literal(PROPOSAL_REVIEW_SCHEMA),
    ...identity,
    status: z.enum(PROPOSAL_STATUSES),
    review_queue: z.literal(REVIEW_QUEUE),
    kind: z.enum(PROPOSAL_KINDS),
    flow_version: z.string(),
    intent: z.string(),
    external_ref: z.string().nullable(),
    source_vault_hint: z.string().nullable(),
    created_at: z.string(),
    created_by: z.string(),
    evaluation_status: z.enum(EVALUATION_STATUSES),
    evaluation_comment: z.string().nullable(),
    evaluated_at: z.string().nullable(),
    evaluated_by: z.string().nullable(),
    waiver_reason: z.string().nullable(),
    decided_at: z.string().nullable(),
    decided_by: z.string().nullable(),
  })
  .meta({ id: 'FlowProposalReview' })
export type ProposalReview = z.infer<typeof ProposalReview>
