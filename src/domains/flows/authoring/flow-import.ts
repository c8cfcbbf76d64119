import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import { allowedToolIds, declaredTools } from '../allowlist.ts'
import type { FlowBundle, FlowStep } from '../bundle/flow-record.ts'
import { flowErrors } from '../flow-errors.ts'
import { PlainText } from '../plain-text.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { authoringGate, Intent, proposalTarget, SERVER_DERIVED } from './authoring-input.ts'
import { createProposal } from './create-proposal.ts'
import { readDraftInput } from './draft.ts'
import { findLineageHead, hasSameVersion } from './lineage.ts'
import { Proposal } from './proposal-record.ts'
import { mayWriteScope } from './write-scope.ts'

const EXTERNAL_REF_CHARS = 256
const SOURCE_VAULT_HINT_CHARS = 128

const input = z.strictObject({
  intent: Intent,
  bundle: z.looseObject({}).describe('The bundle {flow, steps} as it was exported'),
  external_ref: PlainText(EXTERNAL_REF_CHARS).optional().describe('Where the bundle comes from'),
  source_vault_hint: PlainText(SOURCE_VAULT_HINT_CHARS).optional().describe('The vault it was exported from'),
})

/** Each stripped tool is told in a record of its own; a bundle with more of them is refused whole. */
const STRIPPED_LIMIT = 100

const errors = flowErrors.pick(
  'FLOW_AUTHORING_DISABLED',
  'FLOW_AUTHORING_POLICY_FORBIDDEN',
  'FLOW_IMPORT_BUNDLE_MALFORMED',
  'FLOW_SCOPE_AMBIGUOUS',
  'FLOW_IMPORT_SCOPE_DENIED',
  'FLOW_IMPORT_EXTERNAL_TOOL_DENIED',
  'FLOW_IMPORT_AUTOMATABLE_DENIED',
  'FLOW_LINEAGE_CONFLICT',
  'FLOW_PROPOSAL_LIMIT',
)

type Importing = Context<z.output<typeof input>, keyof typeof errors, 'create'>

export const flowImport = defineOperation({
  name: 'flow_import',
  summary: 'Propose an exported flow for review. It may name only external tools that the vault lists.',
  effect: 'create',
  // The contract checks the bundle before the scope, and the role only together with the scope.
  authority: vaultMember('read'),
  gate: authoringGate,
  rest: 'POST /api/v1/flows/import',
  mcp: true,
  cli: 'flow import',
  errors,
  whenInvalid: 'FLOW_IMPORT_BUNDLE_MALFORMED',
  ignores: SERVER_DERIVED,
  made: proposalTarget,
  input,
  output: Proposal,
  present: async () => (await import('./present-proposals.ts')).presentDecision,
  prepare: ({ hub, vault_id }) => ensureStarterFlows(hub, vault_id),
  async handle(context) {
    const { caller, rules, note, refuse } = context
    const draft = readDraftInput({ bundle: context.input.bundle })
    if (typeof draft === 'string') return refuse('FLOW_IMPORT_BUNDLE_MALFORMED', draft)
    const scopes = requireVisibleScopes(context)
    if (!mayWriteScope(caller, scopes, draft.flow.scope)) refuse('FLOW_IMPORT_SCOPE_DENIED')
    const allowed = findSandboxed(draft, rules.policy.value)
    if (!allowed) return refuse('FLOW_IMPORT_EXTERNAL_TOOL_DENIED')
    if (draft.steps.some((step) => step.automatable === 'automatable'))
      refuse('FLOW_IMPORT_AUTOMATABLE_DENIED')
    await checkNotTaken(context, allowed.bundle)
    for (const id of allowed.stripped) note('flow_import_stripped', { kind: 'external_tool', id })
    return createProposal(context, 'import', allowed.bundle, undefined)
  },
})

/** A flow that is there already is not imported over, except as what it is: then nothing contradicts it. */
async function checkNotTaken(context: Importing, bundle: FlowBundle): Promise<void> {
  const { vault_id, db, refuse } = context
  const scopes = requireVisibleScopes(context)
  if (!(await findLineageHead(db, vault_id, bundle.flow.flow_id, scopes))) return
  if (!(await hasSameVersion(db, vault_id, bundle, scopes))) refuse('FLOW_LINEAGE_CONFLICT')
}

/** What is left of an import after the vault's allowlist, and which tools were taken out. */
interface Sandboxed {
  bundle: FlowBundle
  stripped: readonly string[]
}

/**
 * Holds an import against the vault's own allowlist. A tool that is not listed refuses all of it, unless
 * the owner has explicitly chosen to have such references taken out.
 */
function findSandboxed(bundle: FlowBundle, policy: VaultPolicy): Sandboxed | undefined {
  const allowed = allowedToolIds(policy)
  const stripped = declaredTools(bundle.steps).filter((id) => !allowed.has(id))
  if (stripped.length === 0) return { bundle, stripped }
  if (policy.external_agent?.import_policy !== 'strip_inert') return undefined
  if (stripped.length > STRIPPED_LIMIT) return undefined
  return {
    bundle: { flow: bundle.flow, steps: bundle.steps.map((step) => listedOnly(step, allowed)) },
    stripped,
  }
}

function listedOnly(step: FlowStep, allowed: Pick<ReadonlySet<string>, 'has'>): FlowStep {
  const isKept = ({ kind, id }: FlowStep['skill_refs'][number]) => kind !== 'external_tool' || allowed.has(id)
  return { ...step, skill_refs: step.skill_refs.filter(isKept) }
}
