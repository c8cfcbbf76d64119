import { z } from 'zod'
import { declaredTools } from '../../allowlist.ts'
import { type Automatable, SCOPES, type VerificationKind } from '../../bundle/bundle-vocabulary.ts'
import type { FlowBundle, FlowStep } from '../../bundle/flow-record.ts'

const POWER_KINDS = [
  'tool_added',
  'tool_gone',
  'boundary_gone',
  'boundary_added',
  'check_weaker',
  'check_stronger',
  'runs_more_alone',
  'runs_less_alone',
  'scope_wider',
  'scope_narrower',
] as const
const OPENING: ReadonlySet<(typeof POWER_KINDS)[number]> = new Set([
  'tool_added',
  'boundary_gone',
  'check_weaker',
  'runs_more_alone',
  'scope_wider',
])

export const PowerChange = z
  .strictObject({
    kind: z.enum(POWER_KINDS),
    /** Whether agents could do more afterwards. */
    opens: z.boolean(),
    /** The step concerned; null where it is the flow as a whole. */
    step_id: z.string().nullable(),
    ordinal: z.int().nullable(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    /** Of a tool that is added: whether a grant could include it today. */
    allowlisted: z.boolean().nullable(),
  })
  .meta({ id: 'FlowPowerChange' })
export type PowerChange = z.infer<typeof PowerChange>

/** From the check that asks most of whoever runs a step to the one that asks least. */
const CHECKS: readonly VerificationKind[] = [
  'human_review',
  'test_pass',
  'value_match',
  'artifact_exists',
  'agent_check',
]
const ALONE: readonly Automatable[] = ['manual', 'agent_assisted', 'automatable']

/**
 * What a draft changes about what agents may do, what opens first. A diff of words shows all of it, too, but a reviewer
 * must not have to find it there.
 */
export function powerChanges(
  base: FlowBundle | undefined,
  draft: FlowBundle,
  allowlist: ReadonlySet<string>,
): PowerChange[] {
  const found = [
    ...toolChanges(base, draft, allowlist),
    ...scopeChange(base, draft),
    ...stepChanges(base, draft),
  ]
  return [...found.filter(({ opens }) => opens), ...found.filter(({ opens }) => !opens)]
}

type Place = Pick<PowerChange, 'step_id' | 'ordinal'>
const WHOLE_FLOW: Place = { step_id: null, ordinal: null }

function change(
  kind: PowerChange['kind'],
  place: Place,
  before: string | null,
  after: string | null,
  allowlisted: boolean | null = null,
): PowerChange {
  return { kind, opens: OPENING.has(kind), ...place, before, after, allowlisted }
}

function toolChanges(
  base: FlowBundle | undefined,
  draft: FlowBundle,
  allowlist: ReadonlySet<string>,
): PowerChange[] {
  const [old, fresh] = [declaredTools(base?.steps ?? []), declaredTools(draft.steps)]
  return [
    ...fresh
      .filter((tool) => !old.includes(tool))
      .map((tool) => change('tool_added', placeOfTool(draft, tool), null, tool, allowlist.has(tool))),
    ...old
      .filter((tool) => !fresh.includes(tool))
      .map((tool) => change('tool_gone', placeOfTool(base as FlowBundle, tool), tool, null)),
  ]
}

function placeOfTool({ steps }: FlowBundle, tool: string): Place {
  const step = steps.find((one) => declaredTools([one]).includes(tool))
  return step === undefined ? WHOLE_FLOW : placeOfStep(step)
}

function scopeChange(base: FlowBundle | undefined, draft: FlowBundle): PowerChange[] {
  if (base === undefined) return []
  const [before, after] = [base.flow.scope, draft.flow.scope]
  if (before === after) return []
  const isWider = SCOPES.indexOf(after) > SCOPES.indexOf(before)
  return [change(isWider ? 'scope_wider' : 'scope_narrower', WHOLE_FLOW, before, after)]
}

/** Steps go by their id. A step that is new has no boundary to lose; one that is gone takes its boundaries along. */
function stepChanges(base: FlowBundle | undefined, draft: FlowBundle): PowerChange[] {
  const fresh = new Map(draft.steps.map((step) => [step.step_id, step]))
  const old = new Map((base?.steps ?? []).map((step) => [step.step_id, step]))
  const gone = [...old.values()].filter(({ step_id }) => !fresh.has(step_id))
  return [
    ...draft.steps.flatMap((step) => {
      const before = old.get(step.step_id)
      return before === undefined ? newStep(step, base !== undefined) : changedStep(before, step)
    }),
    ...gone.flatMap((step) =>
      step.boundaries.map((words) => change('boundary_gone', placeOfStep(step), words, null)),
    ),
  ]
}

function newStep(step: FlowStep, isEdit: boolean): PowerChange[] {
  const runsAlone = isEdit && step.automatable === 'automatable'
  return runsAlone ? [change('runs_more_alone', placeOfStep(step), null, step.automatable)] : []
}

function changedStep(before: FlowStep, after: FlowStep): PowerChange[] {
  const place = placeOfStep(after)
  return [
    ...before.boundaries
      .filter((words) => !after.boundaries.includes(words))
      .map((words) => change('boundary_gone', place, words, null)),
    ...after.boundaries
      .filter((words) => !before.boundaries.includes(words))
      .map((words) => change('boundary_added', place, null, words)),
    ...checkChange(before, after),
    ...aloneChange(before, after),
  ]
}

function checkChange(before: FlowStep, after: FlowStep): PowerChange[] {
  const difference = looseness(after) - looseness(before)
  if (difference === 0) return []
  const kind = difference > 0 ? 'check_weaker' : 'check_stronger'
  return [change(kind, placeOfStep(after), checkWords(before), checkWords(after))]
}

/** The higher, the less a step's check asks of whoever runs it. */
function looseness({ verification: { kind, evidence_required } }: FlowStep): number {
  return CHECKS.indexOf(kind) * 2 + (evidence_required ? 0 : 1)
}

function checkWords({ verification: { kind, evidence_required } }: FlowStep): string {
  return evidence_required ? `${kind}, with evidence` : kind
}

function aloneChange(before: FlowStep, after: FlowStep): PowerChange[] {
  const difference = ALONE.indexOf(after.automatable) - ALONE.indexOf(before.automatable)
  if (difference === 0) return []
  const kind = difference > 0 ? 'runs_more_alone' : 'runs_less_alone'
  return [change(kind, placeOfStep(after), before.automatable, after.automatable)]
}

function placeOfStep({ step_id, ordinal }: FlowStep): Place {
  return { step_id, ordinal }
}
