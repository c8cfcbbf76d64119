import type { Context } from '../../../operations/define-operation.ts'
import { isAutoApprovable } from '../bundle/auto-approvable.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { authorName } from '../own-work.ts'
import type { LineageHead } from './lineage.ts'
import {
  PROPOSAL_REVIEW_SCHEMA,
  PROPOSAL_SCHEMA,
  type Proposal,
  type ProposalReview,
} from './proposal-record.ts'
import { hasOpenProposals, insertProposal } from './proposal-store.ts'

/** More undecided proposals than this are nobody's review queue. */
const OPEN_LIMIT = 10_000

interface Intention {
  intent: string
  external_ref?: string | undefined
  source_vault_hint?: string | undefined
}

type Proposing = Context<Intention, 'FLOW_PROPOSAL_LIMIT', 'create'>

/** Stores a checked draft as a proposal. Nothing it names is activated or called. */
export async function createProposal(
  context: Proposing,
  kind: ProposalReview['kind'],
  draft: FlowBundle,
  base: LineageHead | undefined,
): Promise<Proposal> {
  const { db, vault_id, refuse } = context
  if (await hasOpenProposals(db, vault_id, OPEN_LIMIT)) refuse('FLOW_PROPOSAL_LIMIT')
  const review = draftReview(context, kind, draft, base)
  await insertProposal(db, vault_id, review, base?.scope ?? draft.flow.scope, draft)
  const { proposal_id, flow_id, base_version, base_state_id, scope, auto_approvable, review_queue } = review
  const identity = { proposal_id, flow_id, base_version, base_state_id, scope, auto_approvable }
  return { schema: PROPOSAL_SCHEMA, ...identity, status: 'proposed', review_queue }
}

function draftReview(
  { input, hub, caller, now }: Proposing,
  kind: ProposalReview['kind'],
  { flow, steps }: FlowBundle,
  base: LineageHead | undefined,
): ProposalReview {
  return {
    schema: PROPOSAL_REVIEW_SCHEMA,
    proposal_id: `prop_${hub.system.random(12)}`,
    flow_id: flow.flow_id,
    base_version: base?.version ?? null,
    base_state_id: base?.state_id ?? null,
    scope: flow.scope,
    auto_approvable: isAutoApprovable(steps),
    status: 'proposed',
    review_queue: 'flow-authoring',
    kind,
    flow_version: flow.version,
    intent: input.intent,
    external_ref: input.external_ref ?? null,
    source_vault_hint: input.source_vault_hint ?? null,
    created_at: now.toISOString(),
    created_by: authorName(caller),
    evaluation_status: 'none',
    evaluation_comment: null,
    evaluated_at: null,
    evaluated_by: null,
    waiver_reason: null,
    decided_at: null,
    decided_by: null,
  }
}
