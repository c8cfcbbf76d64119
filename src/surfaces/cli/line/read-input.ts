import { coerceText, textKind } from '../../../operations/coerce-input.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import { positionals } from '../../../operations/registry.ts'
import { findSeconds } from '../../../platform/basics/duration.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import { helpHint } from '../output/output.ts'
import { flagNames, isDuration, schemaOf, takesWhole } from './operation-flags.ts'
import { readJsonArgument } from './read-json-argument.ts'

/** Builds an operation's input from what was typed. Whether its values are right is for the pipeline to say. */
export async function readInput(
  operation: Operation,
  invocation: Invocation,
): Promise<Record<string, unknown>> {
  const placed = positionals(operation.cli ?? '')
  const input = await readWhole(operation, invocation)
  let readers = takesWhole(operation) && findFlag(invocation, 'input') === '-' ? 1 : 0
  for (const key of Object.keys(operation.input.shape)) {
    const place = placed.indexOf(key)
    const name = place < 0 ? `--${flagNames(key)[0]}` : `<${key}>`
    const texts = textsOf(invocation, key, place)
    if (texts.length === 0) continue
    if (textKind(schemaOf(operation, key)) === 'json' && texts[0] === '-' && ++readers > 1) {
      throw new UsageError('Only one value can come from stdin.', 'Put the other one into a file.')
    }
    input[key] = await readValue(operation, key, name, texts, invocation)
  }
  checkPlaces(placed, input, invocation)
  return input
}

/** What a command takes by place names what it works on, also where it comes from --input: a text, and never missing. */
function checkPlaces(
  placed: readonly string[],
  input: Record<string, unknown>,
  { command }: Invocation,
): void {
  const help = helpHint(command)
  for (const { name, required } of command.positionals) {
    if (!placed.includes(name)) continue
    const value = input[name]
    if (value === undefined && required) throw new UsageError(`<${name}> is missing.`, help, 'BAD_REQUEST')
    if (typeof value === 'number' || value === null || typeof value === 'boolean')
      throw new UsageError(`<${name}> in --input must be a text.`, help, 'BAD_REQUEST')
  }
}

async function readWhole(operation: Operation, invocation: Invocation): Promise<Record<string, unknown>> {
  const text = takesWhole(operation) ? findFlag(invocation, 'input') : undefined
  if (text === undefined) return {}
  const value = await readJsonArgument('--input', text, invocation.io.stdin)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new CommandFailure('BAD_REQUEST', '--input must be a JSON object.')
}

function textsOf(invocation: Invocation, key: string, place: number): readonly string[] {
  if (place >= 0) return invocation.positionals.slice(place, place + 1)
  return invocation.flags.get(flagNames(key)[0] as string) ?? []
}

async function readValue(
  operation: Operation,
  key: string,
  name: string,
  texts: readonly string[],
  { io, command }: Invocation,
): Promise<unknown> {
  const schema = schemaOf(operation, key)
  const kind = textKind(schema)
  const help = helpHint(command)
  if (kind === 'list') return texts.flatMap((text) => coerceText(schema, text))
  if (texts.length > 1) throw new UsageError(`${name} is given more than once.`, help)
  const text = texts[0] as string
  if (kind === 'json') return readJsonArgument(name, text, io.stdin)
  const value = isDuration(key) ? (findSeconds(text) ?? text) : coerceText(schema, text)
  if (kind === 'number' && typeof value === 'string') {
    const form = isDuration(key) ? 'a number of seconds, or one such as 15m, 12h or 30d' : 'a number'
    throw new UsageError(`${name} must be ${form}.`, help, 'BAD_REQUEST')
  }
  return value
}
