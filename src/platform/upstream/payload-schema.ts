import { createRequire } from 'node:module'
import type { Ajv, Options, ValidateFunction } from 'ajv'
import { cachePerObject } from '../basics/cache.ts'
import { addBoundedKeywords, checkWithinSteps, withCountedReferences } from './bounded-keywords.ts'
import { linearPattern } from './linear-pattern.ts'

// Loaded with the first schema: most commands never see one.
const require = createRequire(import.meta.url)

const MAX_SCHEMA_CHARS = 65_536
const MAX_SCHEMA_DEPTH = 32
/** References can fan out, from the schema alone already. */
const MAX_REFERENCES = 32

export type PayloadCheck = (payload: unknown) => boolean

/**
 * The check of a tool's `input_schema` (JSON Schema 2020-12, or draft-07 where `$schema` says so).
 * Throws for a schema that cannot be used: the policy that holds it is then damaged. Only references
 * inside the schema count, and a payload that leads through too many of them is not accepted; patterns run in
 * linear time; formats are notes, not checks.
 */
export const compilePayloadCheck = cachePerObject((schema: object): PayloadCheck => {
  checkBounds(schema)
  return guarded(compile(withCountedReferences(schema)))
})

// A schema that leads back to itself without end overflows the stack or runs out of steps: such a payload is not accepted.
function guarded(validate: ValidateFunction): PayloadCheck {
  return (payload) => {
    try {
      return checkWithinSteps(validate, payload)
    } catch {
      return false
    }
  }
}

function compile(schema: object): ValidateFunction {
  const draft = isDraft7((schema as { $schema?: unknown }).$schema) ? '7' : '2020'
  // A schema that names itself or its parts gets an engine of its own: no other schema may refer to it.
  const engine = isNamed(schema) ? startEngine(draft) : sharedEngine(draft)
  try {
    return engine.compile(schema)
  } finally {
    engine.removeSchema(schema)
  }
}

type Draft = '7' | '2020'
const engines = new Map<Draft, Ajv>()

function sharedEngine(draft: Draft): Ajv {
  const engine = engines.get(draft) ?? startEngine(draft)
  engines.set(draft, engine)
  return engine
}

function startEngine(draft: Draft): Ajv {
  const engine =
    draft === '7'
      ? new (require('ajv') as typeof import('ajv')).Ajv(settings)
      : new (require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(settings)
  addBoundedKeywords(engine)
  return engine
}

function isNamed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '$id') || Object.values(value).some(isNamed)
}

function isDraft7(draft: unknown): boolean {
  return typeof draft === 'string' && /^http:\/\/json-schema\.org\/draft-07\/schema#?$/.test(draft)
}

const settings: Options = {
  strict: false,
  allErrors: false,
  passContext: true,
  validateFormats: false,
  logger: false,
  // Names inherited from Object.prototype must not count as given.
  ownProperties: true,
  code: { regExp: Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' }) },
}

function checkBounds(schema: object): void {
  checkDepth(schema, 0)
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) throw new Error('schema too large')
  if (countReferences(schema) > MAX_REFERENCES) throw new Error('schema has too many references')
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_SCHEMA_DEPTH) throw new Error('schema nested too deep')
  for (const held of Object.values(value)) checkDepth(held, depth + 1)
}

function countReferences(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Number(Object.hasOwn(value, '$ref')) + Number(Object.hasOwn(value, '$dynamicRef'))
  return Object.values(value).reduce<number>((sum, held) => sum + countReferences(held), own)
}
