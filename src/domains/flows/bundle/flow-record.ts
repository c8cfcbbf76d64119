import type { Automatable, RequiresKind, Scope, SkillRefKind, VerificationKind } from './bundle-vocabulary.ts'
import { FLOW_SCHEMA, FLOW_STEP_SCHEMA } from './bundle-vocabulary.ts'

/** An input the whole flow takes. */
export type FlowInput = { name: string; type: string; required: boolean }
/** An input of a step and where it comes from. */
export type StepInput = { name: string; from: string }
/** An output of a step. */
export type StepOutput = { name: string; type: string }
/** A handle of something a step needs. */
export type Requirement = { kind: RequiresKind; id: string }
/** A handle of the skill that performs a step. */
export type SkillRef = { kind: SkillRefKind; id: string }
/** How a step's result is verified. */
export type Verification = { kind: VerificationKind; evidence_required: boolean; description: string }

/** A flow as it goes over the wire, all fields present. */
export type Flow = {
  schema: typeof FLOW_SCHEMA
  flow_id: string
  title: string
  version: string
  scope: Scope
  summary: string
  tags: string[]
  steps: string[]
  inputs: FlowInput[]
  vault_mirror_path: string | null
  updated: string
  truncated: boolean
}

/** A step as it goes over the wire, all fields present. */
export type FlowStep = {
  schema: typeof FLOW_STEP_SCHEMA
  step_id: string
  flow_id: string
  ordinal: number
  owned_job: string
  instruction: string
  trigger: string
  when_not_to_run: string
  requires: Requirement[]
  boundaries: string[]
  skill_refs: SkillRef[]
  inputs: StepInput[]
  outputs: StepOutput[]
  output_shape: string
  verification: Verification
  automatable: Automatable
}

/** What is exported, imported, proposed and shipped as a starter. */
export type FlowBundle = { flow: Flow; steps: FlowStep[] }

type OptionalFields<Record_, Keys extends keyof Record_> = Omit<Record_, Keys> & {
  [Key in Keys]?: Record_[Key] | undefined
}

/** A flow that passed the bundle check but may leave its optional fields out. */
export type FlowDraft = OptionalFields<Flow, 'tags' | 'inputs' | 'vault_mirror_path'>
/** A step that passed the bundle check but may leave its optional fields out. */
export type FlowStepDraft = OptionalFields<FlowStep, 'requires' | 'skill_refs' | 'inputs' | 'outputs'>
/** A bundle that passed the check: `findBundleFault` found nothing. */
export type FlowBundleDraft = { flow: FlowDraft; steps: readonly FlowStepDraft[] }

/** The full wire record of a checked flow, keys in contract order. */
export function canonicalFlow(draft: FlowDraft): Flow {
  return {
    schema: FLOW_SCHEMA,
    flow_id: draft.flow_id,
    title: draft.title,
    version: draft.version,
    scope: draft.scope,
    summary: draft.summary,
    tags: [...(draft.tags ?? [])],
    steps: [...draft.steps],
    inputs: (draft.inputs ?? []).map(({ name, type, required }) => ({ name, type, required })),
    vault_mirror_path: draft.vault_mirror_path ?? null,
    updated: draft.updated,
    truncated: draft.truncated,
  }
}

/** The full wire record of a checked step, keys in contract order; internal columns fall away. */
export function canonicalStep(draft: FlowStepDraft): FlowStep {
  const { kind, evidence_required, description } = draft.verification
  return {
    schema: FLOW_STEP_SCHEMA,
    step_id: draft.step_id,
    flow_id: draft.flow_id,
    ordinal: draft.ordinal,
    owned_job: draft.owned_job,
    instruction: draft.instruction,
    trigger: draft.trigger,
    when_not_to_run: draft.when_not_to_run,
    requires: (draft.requires ?? []).map(handle),
    boundaries: [...draft.boundaries],
    skill_refs: (draft.skill_refs ?? []).map(handle),
    inputs: (draft.inputs ?? []).map(({ name, from }) => ({ name, from })),
    outputs: (draft.outputs ?? []).map(({ name, type }) => ({ name, type })),
    output_shape: draft.output_shape,
    verification: { kind, evidence_required, description },
    automatable: draft.automatable,
  }
}

/** The full wire bundle of a checked draft, steps in ascending ordinal. */
export function canonicalBundle(draft: FlowBundleDraft): FlowBundle {
  return { flow: canonicalFlow(draft.flow), steps: stepsInOrder(draft.steps).map(canonicalStep) }
}

/** A copy of the steps in ascending ordinal. */
export function stepsInOrder<Step extends { ordinal: number }>(steps: readonly Step[]): Step[] {
  return steps.toSorted((left, right) => left.ordinal - right.ordinal)
}

function handle<Kind>({ kind, id }: { kind: Kind; id: string }): { kind: Kind; id: string } {
  return { kind, id }
}
