import type { Harness } from '../bundle/bundle-vocabulary.ts'
import type { FlowDraft, FlowStepDraft } from '../bundle/flow-record.ts'
import { canonicalBundle } from '../bundle/flow-record.ts'
import { renderAgentBundle } from './render-agent-bundle.ts'
import { renderCliRunbook } from './render-cli-runbook.ts'
import { renderCursorRule } from './render-cursor-rule.ts'
import type { Fidelity, Renderer } from './rendering.ts'

/** Schema name of a projection record. */
export const FLOW_PROJECTION_SCHEMA = 'knowtation.flow_projection/v0'

const RENDERERS = {
  agent_bundle: renderAgentBundle,
  cursor_rule: renderCursorRule,
  cli_runbook: renderCliRunbook,
} as const satisfies Partial<Record<Harness, Renderer>>

/** The harnesses that have a renderer. */
export type ProjectableHarness = keyof typeof RENDERERS

/** A flow made into the text of one harness. */
export type FlowProjection = {
  schema: typeof FLOW_PROJECTION_SCHEMA
  flow_id: string
  flow_version: string
  harness: ProjectableHarness
  rendered: string
  generated_from_canonical: true
  editable: false
  fidelity: Fidelity
}

/** What to render; the vault's tool allowlist matters only to harnesses that list tools. */
export type ProjectionRequest = {
  flow: FlowDraft
  steps: readonly FlowStepDraft[]
  harness: ProjectableHarness
  allowed_tools?: readonly string[]
}

/** Whether there is a renderer for the harness. */
export function isProjectable(harness: Harness): harness is ProjectableHarness {
  return Object.hasOwn(RENDERERS, harness)
}

/** Renders one version of a flow for one harness. */
export function renderProjection({
  harness,
  allowed_tools = [],
  ...draft
}: ProjectionRequest): FlowProjection {
  const { flow, steps } = canonicalBundle(draft)
  const { rendered, fidelity } = RENDERERS[harness]({ flow, steps, allowed_tools })
  return {
    schema: FLOW_PROJECTION_SCHEMA,
    flow_id: flow.flow_id,
    flow_version: flow.version,
    harness,
    rendered,
    generated_from_canonical: true,
    editable: false,
    fidelity,
  }
}
