import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { flowErrors } from '../flow-errors.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { authoringGate, draftShape, Intent, proposalTarget, SERVER_DERIVED } from './authoring-input.ts'
import { createProposal } from './create-proposal.ts'
import { readDraftInput } from './draft.ts'
import { findLineageHead } from './lineage.ts'
import { Proposal } from './proposal-record.ts'
import { mayWriteScope } from './write-scope.ts'

export const flowPropose = defineOperation({
  name: 'flow_propose',
  summary: 'Propose a new flow for review. It becomes a flow only when an admin approves it.',
  description:
    'Propose a new flow for review. It becomes a flow only when an admin approves it. Give the draft as bundle, or as flow and steps; flow_export of any flow shows the form, and flow_check says what is wrong with a draft. Where the flow_id is taken, FLOW_LINEAGE_CONFLICT is the answer: use flow_propose_edit.',
  effect: 'create',
  // The contract checks the draft before the scope, and the role only together with the scope.
  authority: vaultMember('read'),
  gate: authoringGate,
  rest: 'POST /api/v1/flows',
  mcp: true,
  cli: 'flow propose',
  errors: flowErrors.pick(
    'FLOW_AUTHORING_DISABLED',
    'FLOW_AUTHORING_POLICY_FORBIDDEN',
    'FLOW_DRAFT_INVALID',
    'FLOW_SCOPE_AMBIGUOUS',
    'FLOW_SCOPE_DENIED',
    'FLOW_LINEAGE_CONFLICT',
    'FLOW_PROPOSAL_LIMIT',
  ),
  whenInvalid: 'FLOW_DRAFT_INVALID',
  ignores: SERVER_DERIVED,
  made: proposalTarget,
  input: z.strictObject({
    intent: Intent,
    ...draftShape,
    base_version: z.null().optional().describe('A new flow has none'),
    base_state_id: z.null().optional().describe('A new flow has none'),
  }),
  output: Proposal,
  present: async () => (await import('./present-proposals.ts')).presentDecision,
  prepare: ({ hub, vault_id }) => ensureStarterFlows(hub, vault_id),
  async handle(context) {
    const { input, caller, vault_id, db, refuse } = context
    const draft = readDraftInput(input)
    if (typeof draft === 'string') return refuse('FLOW_DRAFT_INVALID', draft)
    const scopes = requireVisibleScopes(context)
    if (!mayWriteScope(caller, scopes, draft.flow.scope)) refuse('FLOW_SCOPE_DENIED')
    if (await findLineageHead(db, vault_id, draft.flow.flow_id, scopes)) refuse('FLOW_LINEAGE_CONFLICT')
    return createProposal(context, 'new', draft, undefined)
  },
})
