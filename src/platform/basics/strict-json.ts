export type StrictJsonReason =
  | 'malformed'
  | 'duplicate_key'
  | 'too_deep'
  | 'too_many_values'
  | 'number_too_large'
  | 'number_changes'

/** Why a text was refused. It never quotes the text: a refused body may hold a secret. */
export class StrictJsonError extends Error {
  readonly reason: StrictJsonReason
  constructor(reason: StrictJsonReason) {
    super(`JSON refused: ${reason}`)
    this.name = 'StrictJsonError'
    this.reason = reason
  }
}

export const MAX_JSON_DEPTH = 64
/** A document of a caller holds no more values: the time to build an object grows faster than its number of keys. */
export const MAX_JSON_VALUES = 10_000

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * JSON.parse that refuses a repeated key at any depth, so that no two readers of one text can
 * disagree about it. The text holds one colon per member outside its strings; JSON.parse keeps one
 * key per distinct name (after unescaping). Fewer keys than colons therefore means a repeated name.
 * A number beyond all that a program can hold is refused too: it would be checked as infinite and sent on
 * as null. More values than the limit are refused before anything is built of them.
 */
export function parseStrictJson(text: string, max_values = Number.POSITIVE_INFINITY): unknown {
  const members = countMembers(text, max_values)
  const value = parse(text)
  if (countKeys(value) !== members) throw new StrictJsonError('duplicate_key')
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new StrictJsonError('malformed')
  }
}

function countMembers(text: string, max_values: number): number {
  let members = 0
  // Each value but the first stands behind a comma or in something that was opened.
  let values = 1
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at + 1)
    else if (code === COLON) members++
    else if (code === COMMA) values++
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      values++
      if (++depth > MAX_JSON_DEPTH) throw new StrictJsonError('too_deep')
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--
    if (values > max_values) throw new StrictJsonError('too_many_values')
  }
  return members
}

/** Where the string that begins before `from` ends. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end === -1) throw new StrictJsonError('malformed')
  return end
}

/** An odd run of backslashes before a quote escapes it; the opening quote always ends the run. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (quote - before) % 2 === 0
}

/** Counts the keys and looks at the numbers. Recursion is bounded: countMembers already refused anything deeper than MAX_JSON_DEPTH. */
function countKeys(value: unknown): number {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new StrictJsonError('number_too_large')
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0)
  const keys = Object.keys(value)
  let count = keys.length
  for (const key of keys) count += countKeys((value as Record<string, unknown>)[key])
  return count
}
