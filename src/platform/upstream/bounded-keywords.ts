import type { Ajv, ValidateFunction } from 'ajv'

/** Stands beside each reference of a schema and counts how often it is followed. */
const STEP = 'x-knowtation-step'
/** References that one check follows at most: one for every character of the largest payload there is. */
const MAX_STEPS = 1_000_000
/** Under these stand values, not schemas. */
const HOLDS_VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
/** Under these stand schemas by names of their own, whatever these sound like. */
const HOLDS_NAMES: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas dependencies'.split(' '),
)

/** The steps that a check has left; it is the engine's context, handed to each keyword of ours. */
interface Steps {
  left: number
}

/**
 * Runs a check that may follow a bounded number of references, and throws when it wants to follow more. A schema
 * that names itself in several branches would else double its work with each level of a payload.
 */
export function checkWithinSteps(validate: ValidateFunction, payload: unknown): boolean {
  const steps: Steps = { left: MAX_STEPS }
  return validate.call(steps as unknown as Parameters<typeof validate.call>[0], payload)
}

/** Teaches the engine to count references, and to look for equal items in a time that grows with their number only. */
export function addBoundedKeywords(engine: Ajv): void {
  engine.addKeyword({ keyword: STEP, before: '$ref', errors: false, validate: takeStep })
  engine.removeKeyword('uniqueItems')
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || !hasTwins(items),
  })
}

function takeStep(this: unknown): boolean {
  if ((this as Steps).left-- <= 0) throw new RangeError('too much to check')
  return true
}

/** The schema with each of its references counted. */
export function withCountedReferences(schema: object): object {
  return counted(schema, 'schema') as object
}

function counted(value: unknown, kind: 'schema' | 'named schemas'): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => counted(item, kind))
  const members = Object.entries(value)
  if (kind === 'named schemas')
    return Object.fromEntries(members.map(([name, held]) => [name, counted(held, 'schema')]))
  const within = members.map(([key, held]) => [key, countedUnder(key, held)])
  const isReference = members.some(([key]) => key === '$ref' || key === '$dynamicRef')
  return Object.fromEntries(isReference ? [...within, [STEP, true]] : within)
}

function countedUnder(key: string, held: unknown): unknown {
  if (HOLDS_VALUES.has(key)) return held
  return counted(held, HOLDS_NAMES.has(key) ? 'named schemas' : 'schema')
}

function hasTwins(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item, sorted))).size < items.length
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
