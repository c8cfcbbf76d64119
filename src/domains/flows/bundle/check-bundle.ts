import { FLOW_FIELDS, stepFields } from './field-tables.ts'
import { stepsInOrder } from './flow-record.ts'
import { MAX_STORED_STEPS } from './limits.ts'
import type { Rule } from './value-rules.ts'
import { fieldsIn, inTurn, listSize, onlyKeys, ownValue, record, recordOf } from './value-rules.ts'

type StepKey = { step_id: string; ordinal: number }

// The order of these lines is contract: the same bad bundle gives the same words on every surface.
const bundleRule = inTurn(
  record,
  (bundle) => record(part(bundle, 'flow'), place('flow')),
  (bundle) => listSize(1, MAX_STORED_STEPS)(part(bundle, 'steps'), place('steps')),
  (bundle) => fieldsIn(FLOW_FIELDS)(part(bundle, 'flow'), place('flow')),
  (bundle) => onlyKeys(FLOW_FIELDS.map(([name]) => name))(part(bundle, 'flow'), place('flow')),
  onlyKeys(['flow', 'steps']),
  (bundle) => findStepFault(bundle),
  (bundle) => findOrderFault(bundle),
)

/** The first thing wrong with a bundle, in constant words without any of its data; never throws. */
export function findBundleFault(value: unknown): string | undefined {
  try {
    return bundleRule(value, place('bundle'))
  } catch {
    // Only exotic objects (proxies) get here; JSON cannot.
    return 'bundle must be plain data'
  }
}

function findStepFault(bundle: unknown): string | undefined {
  const steps = part(bundle, 'steps') as readonly unknown[]
  const stepRule: Rule = recordOf(stepFields(part(part(bundle, 'flow'), 'flow_id') as string))
  const seen = new Set<unknown>()
  for (let index = 0; index < steps.length; index += 1) {
    const step = part(steps, String(index))
    const fault = stepRule(step, place(`steps[${index}]`))
    if (fault !== undefined) return fault
    if (seen.has(part(step, 'step_id'))) return `steps[${index}].step_id must be unique`
    seen.add(part(step, 'step_id'))
  }
  return undefined
}

function findOrderFault(bundle: unknown): string | undefined {
  const listed = part(part(bundle, 'flow'), 'steps') as readonly string[]
  const steps = part(bundle, 'steps') as readonly StepKey[]
  const known = new Set(steps.map((step) => step.step_id))
  if (!listed.every((id) => known.has(id))) return 'flow.steps must name only steps of the bundle'
  const ordered = stepsInOrder(steps)
  const isInOrder = listed.length === steps.length && ordered.every((step, at) => step.step_id === listed[at])
  return isInOrder ? undefined : 'flow.steps must list every step id by ascending ordinal'
}

function part(owner: unknown, name: string): unknown {
  return ownValue(owner as object, name)
}

function place(at: string) {
  return { at, owner: {} }
}
