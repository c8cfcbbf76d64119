import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { allowedToolIds } from '../allowlist.ts'
import { diffBundles } from '../authoring/diff/diff-bundles.ts'
import { PowerChange, powerChanges } from '../authoring/diff/power-changes.ts'
import { readDraftInput } from '../authoring/draft.ts'
import { FlowDiff } from '../authoring/proposal-show.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId, VersionChoice } from '../flow-schemas.ts'
import { FlowStepWire, FlowWire } from '../flow-wire.ts'
import { requireFlowDocument } from '../require-flow.ts'

export const FlowCompareOutput = z.strictObject({
  schema: z.literal('knowtation.flow_compare/v0'),
  vault_id: z.string(),
  /** What the comparison leads to: the later version, or the draft in its canonical form. */
  flow: FlowWire,
  steps: z.array(FlowStepWire),
  diff: FlowDiff,
  power: z.array(PowerChange),
})

export const flowCompare = defineOperation({
  name: 'flow_compare',
  summary: 'Show what changes from one version of a flow to another, or to a draft. Nothing is stored.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'POST /api/v1/flows/{flow_id}/compare',
  cli: 'flow compare <flow_id>',
  errors: flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS', 'FLOW_DRAFT_INVALID'),
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input: z.strictObject({
    flow_id: FlowId,
    base: VersionChoice.describe('The version that is compared with; the latest one when left out'),
    version: VersionChoice.describe('The version that is compared; the latest one when left out'),
    bundle: z.looseObject({}).optional().describe('A draft {flow, steps}, in place of a version'),
  }),
  output: FlowCompareOutput,
  present: async () => (await import('./present-versions.ts')).presentComparison,
  async handle(context) {
    const { input, vault_id, rules, refuse } = context
    if (input.bundle && input.version !== undefined)
      refuse('BAD_REQUEST', 'Give a version or a draft to compare, not both.')
    const base = await versionIn(context, input.base)
    const made = input.bundle ? readDraftInput({ bundle: input.bundle }) : undefined
    if (typeof made === 'string') return refuse('FLOW_DRAFT_INVALID', made)
    const draft = made ?? (await versionIn(context, input.version))
    return {
      schema: 'knowtation.flow_compare/v0' as const,
      vault_id,
      ...draft,
      diff: diffBundles(base, draft),
      power: powerChanges(base, draft, allowedToolIds(rules.policy.value)),
    }
  },
})

type Asking = Context<{ flow_id: string }, 'unknown_flow' | 'FLOW_SCOPE_AMBIGUOUS', 'read'>

async function versionIn(context: Asking, version: string | undefined): Promise<FlowBundle> {
  const input = { flow_id: context.input.flow_id, version }
  return JSON.parse(await requireFlowDocument({ ...context, input }, 'bundle')) as FlowBundle
}
