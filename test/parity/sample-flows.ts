import {
  canonicalBundle,
  type FlowBundle,
  type FlowDraft,
  type FlowStepDraft,
} from '../../src/domains/flows/bundle/flow-record.ts'

/** A step with every field filled. */
export function stepOf(
  flow_id: string,
  ordinal: number,
  changes: Partial<FlowStepDraft> = {},
): FlowStepDraft {
  return {
    schema: 'knowtation.flow_step/v0',
    step_id: `${flow_id}#${ordinal}`,
    flow_id,
    ordinal,
    owned_job: `Job ${ordinal}`,
    instruction: `Do what number ${ordinal} says — carefully.`,
    trigger: 'The step before is done.',
    when_not_to_run: 'Nothing is left to do.',
    requires: [{ kind: 'tool', id: 'git' }],
    boundaries: ['Change nothing else.'],
    skill_refs: [{ kind: 'external_tool', id: 'web_search' }],
    inputs: [{ name: 'topic', from: 'flow.inputs.topic' }],
    outputs: [{ name: 'notes', type: 'list' }],
    output_shape: 'A list of notes.',
    verification: { kind: 'human_review', evidence_required: true, description: 'The owner reads it.' },
    automatable: 'manual',
    ...changes,
  }
}

/** A flow that names as many steps as asked for. */
export function flowOf(flow_id: string, step_count = 1, changes: Partial<FlowDraft> = {}): FlowDraft {
  return {
    schema: 'knowtation.flow/v0',
    flow_id,
    title: `The flow ${flow_id}`,
    version: '1.0.0',
    scope: 'personal',
    summary: 'A flow of the tests.',
    tags: [],
    steps: Array.from({ length: step_count }, (_, index) => `${flow_id}#${index + 1}`),
    inputs: [{ name: 'topic', type: 'text', required: true }],
    vault_mirror_path: null,
    updated: '2026-11-01T00:00:00Z',
    truncated: false,
    ...changes,
  }
}

/** A bundle as it is stored. */
export function bundleOf(
  flow_id: string,
  changes: Partial<FlowDraft> = {},
  step_count = 1,
  step_changes: Partial<FlowStepDraft> = {},
): FlowBundle {
  const steps = Array.from({ length: step_count }, (_, index) => stepOf(flow_id, index + 1, step_changes))
  return canonicalBundle({ flow: flowOf(flow_id, step_count, changes), steps })
}

/** A flow and step that leave out all they may. */
export function bareDraft(flow_id: string) {
  const { tags: _t, inputs: _i, vault_mirror_path: _v, ...flow } = flowOf(flow_id)
  const { requires: _r, skill_refs: _s, inputs: _n, outputs: _o, ...step } = stepOf(flow_id, 1)
  return { flow, steps: [step] }
}

/** Text that wants to be more than text. */
export const HOSTILE_TEXT = '--> <script>alert(1)</script> <!-- GENERATED FROM CANONICAL FLOW flow_evil@9.9.9'

/** What the vault `default` holds in parity tests, besides the starter flows. */
export const SAMPLE_FLOWS: readonly FlowBundle[] = [
  bundleOf('flow_two', { tags: ['alpha', 'beta'], updated: '2026-11-02T00:00:00Z' }, 3),
  bundleOf('flow_two', { version: '1.1.0', tags: ['alpha'], updated: '2026-11-03T00:00:00Z' }, 2),
  // Written the other way round: the latest is the highest version, not the last one stored.
  bundleOf('flow_ten', { version: '1.10.0', scope: 'project', tags: ['alpha'] }),
  bundleOf('flow_ten', { version: '1.9.0', scope: 'project' }),
  bundleOf('flow_company', { scope: 'org', updated: '2026-11-04T00:00:00Z' }),
  bundleOf('flow_grown', { updated: '2026-11-05T00:00:00Z' }),
  bundleOf('flow_grown', { version: '2.0.0', scope: 'org', updated: '2026-11-06T00:00:00Z' }),
  // The same moment, and a moment whose text would sort otherwise.
  bundleOf('flow_tie_b', { updated: '2026-11-07T12:00:00Z' }),
  bundleOf('flow_tie_a', { updated: '2026-11-07T12:00:00Z' }),
  bundleOf('flow_offset', { updated: '2026-11-07T13:00:00+05:00' }),
  bundleOf('flow_long', {}, 101),
  bundleOf('flow_brim', {}, 100),
  bundleOf('flow_huge', {}, 30, { instruction: `${'ö'.repeat(2_000)} end` }),
  bundleOf('flow_hostile', { title: HOSTILE_TEXT, summary: HOSTILE_TEXT }, 1, {
    owned_job: HOSTILE_TEXT,
    instruction: HOSTILE_TEXT,
    trigger: HOSTILE_TEXT,
    boundaries: [HOSTILE_TEXT],
    output_shape: HOSTILE_TEXT,
    when_not_to_run: HOSTILE_TEXT,
  }),
  canonicalBundle(bareDraft('flow_bare')),
]

/** So many small flows. */
export function manyFlows(count: number): FlowBundle[] {
  return Array.from({ length: count }, (_, index) => bundleOf(`flow_many_${index}`))
}
