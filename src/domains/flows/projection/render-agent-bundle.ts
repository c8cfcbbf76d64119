import type { FlowStep } from '../bundle/flow-record.ts'
import { MAX_RENDERED_BYTES } from '../bundle/limits.ts'
import { renderJsonMarker } from './marker.ts'
import type { Fidelity, Rendering, RenderSource } from './rendering.ts'

/** Schema name of the document that an external agent gets. */
const AGENT_BUNDLE_SCHEMA = 'knowtation.agent_bundle/v0'

/** Renders a flow as the JSON document an external agent reads. Step text is data in it, nothing more. */
export function renderAgentBundle(source: RenderSource): Rendering {
  const steps = source.steps.map(bundleStep)
  const dropped_fields = droppedFields(source.steps)
  const whole: Fidelity = { dropped_fields, notes: null }
  const fitting = countFitting(source, steps, dropped_fields)
  if (fitting === steps.length) return renderWith(source, steps, whole)
  return renderWith(source, steps.slice(0, fitting), cutFidelity(dropped_fields, fitting, steps.length))
}

function renderWith({ flow, allowed_tools }: RenderSource, steps: object[], fidelity: Fidelity): Rendering {
  const bundle = {
    schema: AGENT_BUNDLE_SCHEMA,
    flow_id: flow.flow_id,
    flow_version: flow.version,
    title: flow.title,
    summary: flow.summary,
    scope: flow.scope,
    generated_marker: renderJsonMarker(flow),
    grant_required: true,
    allowed_tools,
    steps,
    fidelity,
  }
  return { rendered: JSON.stringify(bundle), fidelity }
}

/** How many leading steps fit. Each is measured once, so the work grows with the flow and no faster. */
function countFitting(source: RenderSource, steps: readonly object[], dropped_fields: string[]): number {
  const whole = { dropped_fields, notes: null }
  const longestCut = cutFidelity(dropped_fields, steps.length, steps.length)
  const frame_bytes = byteLength(renderWith(source, [], whole).rendered)
  const cut_frame_bytes = byteLength(renderWith(source, [], longestCut).rendered)
  let steps_bytes = 0
  let fitting = 0
  for (const [index, step] of steps.entries()) {
    steps_bytes += byteLength(JSON.stringify(step)) + (index > 0 ? 1 : 0)
    if (frame_bytes + steps_bytes > MAX_RENDERED_BYTES) return fitting
    if (cut_frame_bytes + steps_bytes <= MAX_RENDERED_BYTES) fitting = index + 1
  }
  return steps.length
}

function cutFidelity(dropped_fields: string[], shown: number, total: number): Fidelity {
  const notes = `truncated to ${shown} of ${total} steps to stay within ${MAX_RENDERED_BYTES} bytes`
  return { dropped_fields, notes }
}

function bundleStep(step: FlowStep) {
  const { kind, evidence_required, description } = step.verification
  return {
    step_id: step.step_id,
    ordinal: step.ordinal,
    owned_job: step.owned_job,
    instruction: step.instruction,
    trigger: step.trigger,
    when_not_to_run: step.when_not_to_run,
    boundaries: step.boundaries,
    output_shape: step.output_shape,
    verification: { kind, evidence_required, description },
    skill_refs: step.skill_refs.map((ref) => ({ kind: ref.kind, id: ref.id })),
  }
}

/** What the steps say but the bundle has no place for. */
function droppedFields(steps: readonly FlowStep[]): string[] {
  const lists = ['requires', 'inputs', 'outputs'] as const
  const lost: string[] = lists.filter((field) => steps.some((step) => step[field].length > 0))
  return steps.some((step) => step.automatable !== 'manual') ? [...lost, 'automatable'] : lost
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
