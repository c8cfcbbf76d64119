import type { z } from 'zod'
import { choicesOf, isOptional, type TextKind, textKind } from '../../../operations/coerce-input.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import { positionals } from '../../../operations/registry.ts'
import type { Flag, Positional } from '../command.ts'

const PLACEHOLDERS: Record<Exclude<TextKind, 'switch'>, string> = {
  text: 'TEXT',
  number: 'N',
  list: 'A,B',
  json: 'JSON|FILE|-',
}

/** Longer lists of choices go into the description. */
const CHOICES_SHOWN_CHARS = 36

/** The input keys that an operation's command takes by place. */
export function positionalsOf(operation: Operation): Positional[] {
  return positionals(operation.cli ?? '').map((name) => {
    const schema = schemaOf(operation, name)
    const form = textKind(schema) === 'json' ? ' (inline JSON, a file, or - for stdin)' : ''
    return { name, description: `${descriptionOf(schema)}${form}`, required: !isOptional(schema) }
  })
}

/** The other input keys, as flags. */
export function flagsOf(operation: Operation): Flag[] {
  const placed = positionals(operation.cli ?? '')
  const keys = Object.keys(operation.input.shape).filter((key) => !placed.includes(key))
  const flags = keys.map((key) => flagOf(key, schemaOf(operation, key)))
  return takesWhole(operation) ? [...flags, WHOLE_INPUT] : flags
}

const WHOLE_INPUT: Flag = {
  name: 'input',
  value: PLACEHOLDERS.json,
  description: 'All inputs as one JSON object; other flags win over it',
  fillsIn: true,
}

/** Whether the command takes its input as one document: when some of it is a document anyway. */
export function takesWhole(operation: Operation): boolean {
  const { shape } = operation.input
  if ('input' in shape || positionals(operation.cli ?? '').some((key) => isDocument(operation, key)))
    return false
  return Object.keys(shape).some(
    (key) => isDocument(operation, key) || textKind(schemaOf(operation, key)) === 'list',
  )
}

function isDocument(operation: Operation, key: string): boolean {
  return textKind(schemaOf(operation, key)) === 'json'
}

function flagOf(key: string, schema: z.core.$ZodType): Flag {
  const names = flagNames(key)
  const value = placeholderOf(key, schema)
  const choices = value === 'NAME' ? `: ${choicesOf(schema)?.join(', ')}` : ''
  const units = isDuration(key) ? ' (seconds, or 15m, 12h, 30d)' : ''
  return {
    name: names[0] as string,
    aliases: names.slice(1),
    ...(value !== undefined && { value }),
    description: `${descriptionOf(schema)}${choices}${units}${defaultOf(schema)}`,
    required: !isOptional(schema),
  }
}

function placeholderOf(key: string, schema: z.core.$ZodType): string | undefined {
  if (isDuration(key)) return 'DURATION'
  const choices = choicesOf(schema)?.join('|')
  if (choices !== undefined) return choices.length > CHOICES_SHOWN_CHARS ? 'NAME' : choices
  const kind = textKind(schema)
  return kind === 'switch' ? undefined : PLACEHOLDERS[kind]
}

/** Shorter names that people expect from the other commands on a flow. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  flow_version: 'version',
  requested_tools: 'tools',
  called_by: 'caller',
}

/** How an input key is typed: kebab case; a time in seconds also by its name without the unit. */
export function flagNames(key: string): string[] {
  const name = key.replaceAll('_', '-')
  if (isDuration(key)) return [name.replace(/-seconds$/, ''), name]
  const short = Object.hasOwn(SHORT_NAMES, key) ? SHORT_NAMES[key] : undefined
  return short === undefined ? [name] : [name, short]
}

/** Whether a key's value is a length of time, which people write with a unit. */
export function isDuration(key: string): boolean {
  return /._seconds$/.test(key)
}

/** The schema of one input key. */
export function schemaOf(operation: Operation, key: string): z.core.$ZodType {
  return operation.input.shape[key] as z.core.$ZodType
}

/** What counts when the flag is left out; that a switch is off needs no saying. */
function defaultOf(schema: z.core.$ZodType): string {
  const { type, defaultValue } = schema._zod.def as { type: string; defaultValue?: unknown }
  const isTold = type === 'default' && ['string', 'number'].includes(typeof defaultValue)
  return isTold ? ` (default ${defaultValue})` : ''
}

/** What a schema is for. One that was only made optional afterwards is for the same. */
function descriptionOf(schema: z.core.$ZodType): string {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType }
  return (schema as z.ZodType).description ?? (innerType ? descriptionOf(innerType) : '')
}
