import type { components } from '../../../api/schema'

export type Flow = components['schemas']['Flow']
export type Step = components['schemas']['FlowStep']
export interface Draft {
  readonly flow: Flow
  readonly steps: readonly Step[]
}

const SCHEMAS = { flow: 'knowtation.flow/v0', step: 'knowtation.flow_step/v0' } as const

/** A flow that somebody begins from nothing. */
export function emptyDraft(now: Date): Draft {
  const flow: Flow = {
    schema: SCHEMAS.flow,
    flow_id: 'flow_',
    title: '',
    version: '1.0.0',
    scope: 'personal',
    summary: '',
    tags: [],
    steps: [],
    inputs: [],
    vault_mirror_path: null,
    updated: now.toISOString(),
    truncated: false,
  }
  return withStepAdded({ flow, steps: [] })
}

/** The next version of a flow, to be edited: the number after the dot in the middle goes up. */
export function draftOf({ flow, steps }: Draft, now: Date): Draft {
  const [major = '1', minor = '0'] = flow.version.split('.')
  const version = `${major}.${BigInt(minor) + 1n}.0`
  return { flow: { ...flow, version, updated: now.toISOString() }, steps }
}

export function withFlow(draft: Draft, changes: Partial<Flow>): Draft {
  const flow = { ...draft.flow, ...changes }
  return changes.flow_id === undefined ? { ...draft, flow } : numbered({ ...draft, flow })
}

export function withStep(draft: Draft, at: number, changes: Partial<Step>): Draft {
  return {
    ...draft,
    steps: draft.steps.map((step, place) => (place === at ? { ...step, ...changes } : step)),
  }
}

export function withStepAdded({ flow, steps }: Draft): Draft {
  const ordinal = (steps.at(-1)?.ordinal ?? 0) + 1
  const step: Step = {
    schema: SCHEMAS.step,
    step_id: `${flow.flow_id}#${ordinal}`,
    flow_id: flow.flow_id,
    ordinal,
    owned_job: '',
    instruction: '',
    trigger: '',
    when_not_to_run: '',
    requires: [],
    boundaries: [],
    skill_refs: [],
    inputs: [],
    outputs: [],
    output_shape: '',
    verification: { kind: 'human_review', evidence_required: true, description: '' },
    automatable: 'manual',
  }
  return numbered({ flow, steps: [...steps, step] })
}

export function withoutStep({ flow, steps }: Draft, at: number): Draft {
  return numbered({ flow, steps: steps.filter((_, place) => place !== at) })
}

export function withStepMoved({ flow, steps }: Draft, at: number, by: -1 | 1): Draft {
  const [moved] = steps.slice(at, at + 1)
  const others = steps.filter((_, place) => place !== at)
  return moved ? numbered({ flow, steps: others.toSpliced(at + by, 0, moved) }) : { flow, steps }
}

/** Steps have their place in their id: who gives one a place anew also follows what others take from it. */
function numbered({ flow, steps }: Draft): Draft {
  const { flow_id } = flow
  const isInOrder = steps.every(
    ({ ordinal, step_id }, at) =>
      ordinal > (steps[at - 1]?.ordinal ?? 0) && step_id === `${flow_id}#${ordinal}`,
  )
  const ordinalAt = (at: number) => (isInOrder ? (steps[at]?.ordinal ?? 0) : at + 1)
  const renamed = new Map(steps.map(({ step_id }, at) => [step_id, `${flow_id}#${ordinalAt(at)}`]))
  const placed = steps.map((step, at) => ({
    ...step,
    flow_id,
    ordinal: ordinalAt(at),
    step_id: `${flow_id}#${ordinalAt(at)}`,
    inputs: step.inputs.map(({ name, from }) => ({ name, from: follow(from, renamed) })),
  }))
  return { flow: { ...flow, steps: placed.map(({ step_id }) => step_id) }, steps: placed }
}

function follow(from: string, renamed: ReadonlyMap<string, string>): string {
  const cut = from.indexOf('.outputs.')
  const source = cut < 0 ? undefined : renamed.get(from.slice(0, cut))
  return source === undefined ? from : source + from.slice(cut)
}

/** What the hub said is wrong, as a person finds it: the place in the form, and the words. */
export interface Fault {
  readonly path: string
  readonly words: string
}

const FAULT = /^((?:flow|steps\[\d+\])[\w.[\]]*) (.+)$/s

export function faultIn(message: string): Fault {
  const [, path, words] = FAULT.exec(message) ?? []
  return path === undefined || words === undefined ? { path: '', words: message } : { path, words }
}

/** Such as "Step 2, when not to run". */
export function placeWords({ path }: Fault): string {
  const [, step, rest = ''] = /^(?:steps\[(\d+)\]|flow)\.?(.*)$/.exec(path) ?? []
  const field = rest.replace(/[.[\]_]+/g, ' ').trim()
  return `${step === undefined ? 'The flow' : `Step ${Number(step) + 1}`}${field === '' ? '' : `, ${field}`}`
}
