import type { Flow, FlowStep } from '../bundle/flow-record.ts'
import { fitSteps } from './fit-steps.ts'
import { renderField, renderInline, renderList } from './markdown.ts'
import { renderMarkdownMarker } from './marker.ts'
import type { Rendering, RenderSource } from './rendering.ts'
import { renderFlowInputs, renderHandles, renderStepHeading, renderVerification } from './step-fields.ts'

/** Renders a flow as a Markdown runbook that expresses every field. */
export function renderCliRunbook({ flow, steps }: RenderSource): Rendering {
  const { rendered, note } = fitSteps(renderHeader(flow), steps, renderStep)
  return { rendered, fidelity: { dropped_fields: [], notes: note } }
}

function renderHeader(flow: Flow): string {
  const lines = [
    `# ${renderInline(flow.title)}`,
    '',
    renderMarkdownMarker(flow),
    '',
    renderField('Summary', flow.summary),
    renderField('Scope', flow.scope),
    renderField('Updated', flow.updated),
    ...renderList('Tags', flow.tags),
    ...renderFlowInputs(flow),
    ...renderList('Vault note', flow.vault_mirror_path === null ? [] : [flow.vault_mirror_path]),
  ]
  return `${lines.join('\n')}\n`
}

function renderStep(step: FlowStep): string {
  const lines = [
    renderStepHeading(step),
    renderField('Step id', step.step_id),
    renderField('Trigger', step.trigger),
    renderField('When not to run', step.when_not_to_run),
    ...renderHandles('Requires', step.requires),
    ...renderList(
      'Inputs',
      step.inputs.map(({ name, from }) => `${name}: from ${from}`),
    ),
    renderField('Instruction', step.instruction),
    ...renderList('Boundaries', step.boundaries),
    ...renderHandles('Skill refs', step.skill_refs),
    renderField('Output shape', step.output_shape),
    ...renderList(
      'Outputs',
      step.outputs.map(({ name, type }) => `${name}: ${type}`),
    ),
    renderVerification(step),
    renderField('Automatable', step.automatable),
  ]
  return `${lines.join('\n')}\n`
}
