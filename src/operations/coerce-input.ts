import type { z } from 'zod'
import { parseExactJson } from '../platform/basics/exact-json.ts'

/** How a value of a schema is written as text. */
export type TextKind = 'text' | 'number' | 'switch' | 'list' | 'json'

type Schema = z.core.$ZodType

const NUMBER = /^-?\d{1,17}(\.\d{1,17})?$/

/** The schema under what only says that a value may be missing or what stands in for it. */
function innerSchema(schema: Schema): Schema {
  const def = schema._zod.def as { innerType?: Schema; in?: Schema }
  const inner = def.innerType ?? def.in
  return inner ? innerSchema(inner) : schema
}

/** Tells how texts (a query string, a command line) carry values of this schema. */
export function textKind(schema: Schema): TextKind {
  switch (innerSchema(schema)._zod.def.type) {
    case 'number':
      return 'number'
    case 'boolean':
      return 'switch'
    case 'array':
      return isListOfDocuments(schema) ? 'json' : 'list'
    case 'object':
    case 'record':
    case 'unknown':
    case 'any':
    case 'null':
      return 'json'
    default:
      return 'text'
  }
}

/** A list whose items are written as JSON is one document itself: no comma parts such items. */
function isListOfDocuments(schema: Schema): boolean {
  return textKind((innerSchema(schema) as z.core.$ZodArray)._zod.def.element) === 'json'
}

/**
 * Reads a text as a value of the schema's type. What cannot be read that way stays text, so that the
 * schema refuses it in its own words.
 */
export function coerceText(schema: Schema, text: string): unknown {
  switch (textKind(schema)) {
    case 'number':
      return NUMBER.test(text) ? Number(text) : text
    case 'switch':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'list':
      return coerceList(innerSchema(schema) as z.core.$ZodArray, text)
    case 'json':
      return findJson(text)
    default:
      return text
  }
}

/** `a,b` or `["a","b"]`: the second form is for items that hold a comma. */
function coerceList(schema: z.core.$ZodArray, text: string): unknown {
  if (text.startsWith('[')) return findJson(text)
  if (text === '') return []
  return text.split(',').map((item) => coerceText(schema._zod.def.element, item))
}

function findJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** The values an enumeration allows, or undefined for a schema that is none. */
export function choicesOf(schema: Schema): readonly string[] | undefined {
  const def = innerSchema(schema)._zod.def as { type: string; entries?: Record<string, string> }
  return def.type === 'enum' && def.entries ? Object.values(def.entries) : undefined
}

/** Whether an input may leave the value out. */
export function isOptional(schema: Schema): boolean {
  return schema._zod.optin !== undefined
}
