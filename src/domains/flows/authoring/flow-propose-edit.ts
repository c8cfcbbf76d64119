import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { compareVersions, isVersion } from '../bundle/semver.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { authoringGate, draftShape, Intent, proposalTarget, SERVER_DERIVED } from './authoring-input.ts'
import { createProposal } from './create-proposal.ts'
import { readDraftInput } from './draft.ts'
import { findLineageHead } from './lineage.ts'
import { Proposal } from './proposal-record.ts'
import { mayWriteScope } from './write-scope.ts'

export const flowProposeEdit = defineOperation({
  name: 'flow_propose_edit',
  summary: 'Propose the next version of a flow for review. The version it builds on stays as it is.',
  description:
    'Propose the next version of a flow for review. The version it builds on stays as it is. In order: flow_export the newest version, flow_check it for its state_id, change what is to change and raise flow.version, then propose with that version and state_id as base. FLOW_LINEAGE_CONFLICT says that another version came in between: begin again from it.',
  effect: 'create',
  // A flow the caller cannot read is unknown to it, whatever its role.
  authority: vaultMember('read'),
  gate: authoringGate,
  rest: 'POST /api/v1/flows/{flow_id}/proposals',
  mcp: true,
  cli: 'flow edit <flow_id>',
  errors: flowErrors.pick(
    'unknown_flow',
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
  target: (input) => ({ kind: 'flow', id: input.flow_id }),
  made: proposalTarget,
  input: z.strictObject({
    flow_id: FlowId,
    intent: Intent,
    ...draftShape,
    base_version: z.string().refine(isVersion).describe('The version x.y.z that the draft builds on'),
    base_state_id: z
      .string()
      .max(64)
      .describe('The state id of that version, as flow_check tells it of its export'),
  }),
  output: Proposal,
  present: async () => (await import('./present-proposals.ts')).presentDecision,
  prepare: ({ hub, vault_id }) => ensureStarterFlows(hub, vault_id),
  async handle(context) {
    const { input, caller, vault_id, db, refuse } = context
    const draft = readDraftInput(input)
    if (typeof draft === 'string') return refuse('FLOW_DRAFT_INVALID', draft)
    const { flow_id, version, scope } = draft.flow
    if (flow_id !== input.flow_id) refuse('FLOW_DRAFT_INVALID', 'flow.flow_id must be the id of the flow')
    const scopes = requireVisibleScopes(context)
    const base = (await findLineageHead(db, vault_id, flow_id, scopes)) ?? refuse('unknown_flow')
    const mayWrite = [base.scope, scope].every((one) => mayWriteScope(caller, scopes, one))
    if (!mayWrite) refuse('FLOW_SCOPE_DENIED')
    const isNewer = compareVersions(version, input.base_version) > 0
    if (!isNewer) refuse('FLOW_DRAFT_INVALID', 'flow.version must be greater than base_version')
    const isAtBase = base.version === input.base_version && base.state_id === input.base_state_id
    if (!isAtBase) refuse('FLOW_LINEAGE_CONFLICT')
    return createProposal(context, 'edit', draft, base)
  },
})
