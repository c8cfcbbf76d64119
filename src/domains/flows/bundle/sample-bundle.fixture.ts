import type { Flow, FlowBundle, FlowStep } from './flow-record.ts'

const FLOW_ID = 'flow_weekly_review'

/** A step of the sample flow with every optional field filled. */
export function sampleStep(ordinal = 1, changes: Partial<FlowStep> = {}): FlowStep {
  return {
    schema: 'knowtation.flow_step/v0',
    step_id: `${FLOW_ID}#${ordinal}`,
    flow_id: FLOW_ID,
    ordinal,
    owned_job: 'Look back',
    instruction: 'Read the notes of the week.\nList what is open.',
    trigger: 'It is Friday.',
    when_not_to_run: 'The week was skipped.',
    requires: [{ kind: 'tool', id: 'git' }],
    boundaries: ['Change nothing.'],
    skill_refs: [{ kind: 'external_tool', id: 'web_search' }],
    inputs: [{ name: 'week', from: 'flow.inputs.week' }],
    outputs: [{ name: 'open_items', type: 'list' }],
    output_shape: 'A list.',
    verification: { kind: 'human_review', evidence_required: true, description: 'The owner reads it.' },
    automatable: 'manual',
    ...changes,
  }
}

/** The sample flow, naming as many steps as asked for. */
export function sampleFlow(step_count = 1, changes: Partial<Flow> = {}): Flow {
  return {
    schema: 'knowtation.flow/v0',
    flow_id: FLOW_ID,
    title: 'Weekly review',
    version: '1.2.0',
    scope: 'personal',
    summary: 'Look back once a week.',
    tags: ['review'],
    steps: Array.from({ length: step_count }, (_, index) => `${FLOW_ID}#${index + 1}`),
    inputs: [{ name: 'week', type: 'text', required: true }],
    vault_mirror_path: 'meta/flows/weekly-review.md',
    updated: '2026-11-02T10:00:00Z',
    truncated: false,
    ...changes,
  }
}

/** A valid bundle; the changes go into each of its steps. */
export function sampleBundle(step_count = 1, changes: Partial<FlowStep> = {}): FlowBundle {
  const steps = Array.from({ length: step_count }, (_, index) => sampleStep(index + 1, changes))
  return { flow: sampleFlow(step_count), steps }
}
