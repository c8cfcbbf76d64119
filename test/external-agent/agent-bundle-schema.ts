import { z } from 'zod'
import { FlowId, ScopeName } from '../../src/domains/flows/flow-schemas.ts'

/** What the contract says of one step of a bundle, key by key. */
const BundleStep = z.strictObject({
  step_id: z.string().regex(/^flow_[a-z0-9_]{1,64}#[1-9][0-9]*$/),
  ordinal: z.int().positive(),
  owned_job: z.string().min(1),
  instruction: z.string().min(1),
  trigger: z.string().min(1),
  when_not_to_run: z.string().min(1),
  boundaries: z.array(z.string()),
  output_shape: z.string().min(1),
  verification: z.strictObject({
    kind: z.enum(['human_review', 'artifact_exists', 'value_match', 'test_pass', 'agent_check']),
    evidence_required: z.boolean(),
    description: z.string().min(1),
  }),
  skill_refs: z.array(
    z.strictObject({
      kind: z.enum(['mcp_prompt', 'skill_pack', 'cli', 'external_tool']),
      id: z.string().min(1),
    }),
  ),
})

/** knowtation.agent_bundle/v0, written down from the contract and not from the code. */
export const AgentBundle = z.strictObject({
  schema: z.literal('knowtation.agent_bundle/v0'),
  flow_id: FlowId,
  flow_version: z.string().regex(/^\d+\.\d+\.\d+$/),
  title: z.string(),
  summary: z.string(),
  scope: ScopeName,
  generated_marker: z.string().regex(/^GENERATED FROM CANONICAL FLOW flow_\S+@\S+ — DO NOT EDIT$/),
  grant_required: z.literal(true),
  allowed_tools: z.array(z.string()),
  steps: z.array(BundleStep),
  fidelity: z.strictObject({ dropped_fields: z.array(z.string()), notes: z.string().nullable() }),
})

/** The keys of a bundle in their order. */
export const BUNDLE_KEYS = Object.keys(AgentBundle.shape)
export const STEP_KEYS = Object.keys(BundleStep.shape)
