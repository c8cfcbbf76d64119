import type { Flow, FlowStep } from '../bundle/flow-record.ts'
import { fitSteps } from './fit-steps.ts'
import { renderField, renderInline, renderList, renderQuoted } from './markdown.ts'
import { renderMarkdownMarker } from './marker.ts'
import type { Rendering, RenderSource } from './rendering.ts'
import { renderFlowInputs, renderHandles, renderStepHeading, renderVerification } from './step-fields.ts'

const NO_ANTI_TRIGGER = 'cursor_rule has no anti-trigger slot'
const UNEXPRESSED_FIELDS = ['when_not_to_run', 'requires', 'inputs', 'outputs'] as const

/** Renders a flow as a Cursor rule file (MDC). */
export function renderCursorRule({ flow, steps }: RenderSource): Rendering {
  const { rendered, note } = fitSteps(renderHeader(flow), steps, renderStep)
  const dropped_fields = UNEXPRESSED_FIELDS.filter((field) => steps.some((step) => step[field].length > 0))
  const notes = [dropped_fields.includes('when_not_to_run') ? NO_ANTI_TRIGGER : null, note]
  return { rendered, fidelity: { dropped_fields, notes: notes.filter(Boolean).join('; ') || null } }
}

function renderHeader(flow: Flow): string {
  const lines = [
    '---',
    `description: ${renderQuoted(flow.summary)}`,
    `globs: [${flow.tags.map(renderQuoted).join(', ')}]`,
    'alwaysApply: false',
    '---',
    renderMarkdownMarker(flow),
    '',
    `# ${renderInline(flow.title)}`,
    '',
    renderField('Scope', flow.scope),
    ...renderFlowInputs(flow),
  ]
  return `${lines.join('\n')}\n`
}

function renderStep(step: FlowStep): string {
  const lines = [
    renderStepHeading(step),
    renderField('Instruction', step.instruction),
    renderField('Trigger', step.trigger),
    ...renderList('Boundaries', step.boundaries),
    renderField('Output shape', step.output_shape),
    renderVerification(step),
    ...renderHandles('Skill refs', step.skill_refs),
    renderField('Automatable', step.automatable),
  ]
  return `${lines.join('\n')}\n`
}
