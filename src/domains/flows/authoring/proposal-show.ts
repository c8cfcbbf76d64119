import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { allowedToolIds } from '../allowlist.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowStepWire, FlowWire } from '../flow-schemas.ts'
import { findFlowDocument } from '../flow-store.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { proposalTarget } from './authoring-input.ts'
import { diffBundles } from './diff/diff-bundles.ts'
import { PowerChange, powerChanges } from './diff/power-changes.ts'
import { findLineageHead } from './lineage.ts'
import { DraftDigest, ProposalId, ProposalReview } from './proposal-record.ts'
import { readDraft } from './proposal-store.ts'
import { requireProposal } from './require-proposal.ts'

/** What changes between two forms of a flow, field by field. */
export const FlowDiff = z
  .strictObject({
    changes: z.array(
      z.strictObject({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
    ),
    text: z.string(),
    truncated: z.boolean(),
  })
  .meta({ id: 'FlowDiff' })

export const ProposalShowOutput = z.strictObject({
  schema: z.literal('knowtation.flow_proposal_show/v0'),
  vault_id: z.string(),
  proposal: ProposalReview,
  flow: FlowWire,
  steps: z.array(FlowStepWire),
  diff: FlowDiff,
  /** What it would change about what agents may do; what opens comes first. */
  power: z.array(PowerChange),
  /** What is approved, byte for byte: `proposal_approve` takes it along. */
  draft_digest: DraftDigest,
  /** The version that the flow is at now; null where there is none. */
  newest_version: z.string().nullable(),
  /** Whether the draft builds on just that, without which it cannot be approved. */
  is_current: z.boolean(),
})

export const proposalShow = defineOperation({
  name: 'proposal_show',
  summary: 'Read a proposal with its draft and what it changes against the version it builds on.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/proposals/{proposal_id}',
  mcp: true,
  cli: 'proposal show <proposal_id>',
  errors: flowErrors.pick('unknown_proposal', 'FLOW_SCOPE_AMBIGUOUS'),
  target: proposalTarget,
  input: z.strictObject({ proposal_id: ProposalId }),
  output: ProposalShowOutput,
  present: async () => (await import('./present-proposals.ts')).presentProposal,
  async handle(context) {
    const { vault_id, db, rules } = context
    const proposal = await requireProposal(context)
    const { draft, draft_digest } = await readDraft(db, vault_id, proposal.proposal_id)
    const base = await findBase(context, proposal)
    return {
      schema: 'knowtation.flow_proposal_show/v0' as const,
      vault_id,
      proposal,
      ...draft,
      diff: diffBundles(base, draft),
      power: powerChanges(base, draft, allowedToolIds(rules.policy.value)),
      draft_digest,
      ...(await newestOf(context, proposal)),
    }
  },
})

/** Where the flow is now, among the versions that the caller may see, by the measure of an approval. */
async function newestOf(
  context: Context<unknown, 'FLOW_SCOPE_AMBIGUOUS', 'read'>,
  { flow_id, base_version, base_state_id }: ProposalReview,
): Promise<{ newest_version: string | null; is_current: boolean }> {
  const { db, vault_id } = context
  const head = await findLineageHead(db, vault_id, flow_id, requireVisibleScopes(context))
  const is_current = (head?.version ?? null) === base_version && (head?.state_id ?? null) === base_state_id
  return { newest_version: head?.version ?? null, is_current }
}

/** A proposal is visible only to who may see its base too, so asking for the base needs no other right. */
async function findBase(
  context: Context<unknown, 'FLOW_SCOPE_AMBIGUOUS', 'read'>,
  { flow_id, base_version }: ProposalReview,
): Promise<FlowBundle | undefined> {
  if (base_version === null) return undefined
  const { db, vault_id } = context
  const where = { vault_id, flow_id, scopes: requireVisibleScopes(context), version: base_version }
  const document = await findFlowDocument(db, 'bundle', where)
  return document === undefined ? undefined : (JSON.parse(document) as FlowBundle)
}
