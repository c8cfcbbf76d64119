import { isExactNumber } from '../../boundary/exact-number.ts'
import { endOfString, MAX_JSON_VALUES, parseStrictJson, StrictJsonError } from './strict-json.ts'

/** Only such a number can become another one: many digits, a power, or a zero with a sign. */
const MAY_CHANGE = /\d[\d.]{15}|\d[eE][+-]?\d|-0/
/** A string's quote, or a whole number. */
const QUOTE_OR_NUMBER = /"|-?\d[\d.eE+-]*/g

/** Reads what a caller says: as parseStrictJson does, of bounded cost, and no number that would be kept as another one. */
export function parseExactJson(text: string): unknown {
  const value = parseStrictJson(text, MAX_JSON_VALUES)
  if (MAY_CHANGE.test(text)) checkNumbers(text)
  return value
}

/** Looks at the numbers as they are written. The text is known to be JSON, so strings end and numbers have their form. */
function checkNumbers(text: string): void {
  const parts = new RegExp(QUOTE_OR_NUMBER)
  for (let part = parts.exec(text); part; part = parts.exec(text)) {
    if (part[0] === '"') parts.lastIndex = endOfString(text, parts.lastIndex) + 1
    else if (!isExactNumber(part[0])) throw new StrictJsonError('number_changes')
  }
}

/** A value that is nested deeper than its reader looks, or holds a number that JSON cannot write. */
export class Unorderable extends Error {}

/** One text for one value: the keys of each object in order. */
export function orderedJson(value: unknown, depth_limit: number): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Unorderable('a number that JSON has not')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth_limit < 0) throw new Unorderable('nested too deep')
  if (Array.isArray(value)) return `[${value.map((part) => orderedJson(part, depth_limit - 1)).join()}]`
  const members = orderedEntries(value).map(
    ([key, part]) => `${JSON.stringify(key)}:${orderedJson(part, depth_limit - 1)}`,
  )
  return `{${members.join()}}`
}

/** The members of an object in the order of their names. */
export function orderedEntries(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
