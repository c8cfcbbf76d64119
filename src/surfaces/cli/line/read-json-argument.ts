import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { parseExactJson } from '../../../platform/basics/exact-json.ts'
import { MAX_JSON_VALUES, StrictJsonError } from '../../../platform/basics/strict-json.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import { placeOfJsonFault } from './json-fault.ts'

/** The same bound that the hub puts on a body. */
const JSON_LIMIT_BYTES = 1_048_576

const FAULTS = {
  malformed: 'is not valid JSON',
  duplicate_key: 'names a key twice',
  too_many_values: `holds more than ${MAX_JSON_VALUES} values`,
  too_deep: 'is nested too deeply',
  number_too_large: 'holds a number that is too large',
  number_changes: 'holds a number that cannot be kept as it is written',
} as const

/** Reads a JSON value given inline, as the path of a file, or as `-` for stdin. */
export async function readJsonArgument(name: string, text: string, stdin: Readable): Promise<unknown> {
  return parseJsonText(jsonSource(name, text), await readJsonText(name, text, stdin))
}

/** Reads the text of such a value, or says in the words of the command line what is wrong with it. */
export function parseJsonText(source: string, json: string): unknown {
  // Some editors begin whatever they save with this mark.
  const bare = json.replace(/^\uFEFF/, '')
  try {
    return parseExactJson(bare)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandFailure(
      'BAD_REQUEST',
      `${source} ${FAULTS[error.reason]} (${placeOfJsonFault(bare, error.reason)}).`,
      'Mend the JSON and try again.',
    )
  }
}

/** The text of such a value, to the letter. */
export async function readJsonText(name: string, text: string, stdin: Readable): Promise<string> {
  const source = jsonSource(name, text)
  const json =
    source === name ? text : await readText(name, text === '-' ? stdin : createReadStream(text), source)
  if (Buffer.byteLength(json) > JSON_LIMIT_BYTES) throw tooLarge(source)
  return json
}

/** What a refusal of the value begins with: the flag where it was given inline, else where it came from. */
export function jsonSource(name: string, text: string): string {
  const isInline = /^(\s*[[{]|null$)/.test(text)
  return isInline ? name : text === '-' ? 'stdin' : text
}

async function readText(name: string, stream: Readable, place: string): Promise<string> {
  try {
    return decode(await readBounded(stream, place), place)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (error instanceof CommandFailure || code === undefined) throw error
    throw new UsageError(
      `${name} names ${place}, which cannot be read (${code}).`,
      'Give a readable file, inline JSON that begins with { or [, or - for stdin.',
    )
  }
}

async function readBounded(stream: Readable, place: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > JSON_LIMIT_BYTES) throw tooLarge(place)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CommandFailure('BAD_REQUEST', `${place} is not UTF-8 text.`)
  }
}

function tooLarge(place: string): CommandFailure {
  return new CommandFailure('PAYLOAD_TOO_LARGE', `${place} is larger than ${JSON_LIMIT_BYTES} bytes.`)
}
