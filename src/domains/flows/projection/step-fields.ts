import type { Flow, FlowStep } from '../bundle/flow-record.ts'
import { renderField, renderInline, renderList } from './markdown.ts'

/** The heading every Markdown harness puts over a step. */
export function renderStepHeading(step: FlowStep): string {
  return `\n## Step ${step.ordinal}: ${renderInline(step.owned_job)}\n`
}

/** The verification of a step, its kind and whether evidence is asked for. */
export function renderVerification({ verification }: FlowStep): string {
  const evidence = verification.evidence_required ? 'evidence required' : 'no evidence required'
  return renderField(`Verification (${verification.kind}, ${evidence})`, verification.description)
}

/** References as kind:id. */
export function renderHandles(label: string, handles: readonly { kind: string; id: string }[]): string[] {
  return renderList(
    label,
    handles.map(({ kind, id }) => `${kind}:${id}`),
  )
}

/** The inputs the whole flow takes. */
export function renderFlowInputs({ inputs }: Flow): string[] {
  const lines = inputs.map(({ name, type, required }) => `${name}: ${type}${required ? '' : ' (optional)'}`)
  return renderList('Inputs', lines)
}
