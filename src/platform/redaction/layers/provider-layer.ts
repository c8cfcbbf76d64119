import { type Claim, RANK } from '../finding.ts'
import type { ProviderFormat } from '../formats/provider-format.ts'
import { hasFewCharacters } from '../looks/placeholder.ts'
import { surprise } from '../looks/randomness.ts'

/** A format with its pattern ready to be tried at one place. */
export interface PlacedFormat extends ProviderFormat {
  expression: RegExp
}

const FILLED = /(.)\1{9}/
/** Chance at the end makes a token of what began with a filler. */
const TAIL_CHARS = 24
const MAX_NAME_BITS = 4.4
const MIN_PREFIX_CHARS = 4

export function placeFormat(format: ProviderFormat): PlacedFormat {
  return { ...format, expression: new RegExp(format.pattern, 'y') }
}

/** Whether a token of the format may begin at `at` of a text: not in the midst of a word. */
export function mayBeginAt(format: PlacedFormat, codes: Uint16Array, at: number, lineStart: number): boolean {
  if (format.allowsInside || at <= lineStart) return true
  return !isWordCode(codes[at - 1] as number) || isEscape(codes, at, lineStart)
}

/** Claims the token of a format at an anchor that begins at `at`. */
export function claimProviderToken(
  format: PlacedFormat,
  line: string,
  at: number,
  claims: Claim[],
  fillers: Map<PlacedFormat, number>,
): void {
  const last = claims.at(-1)
  if (last && last.rank === RANK.provider && at < last.end) return
  // What was a filler from its beginning is one from its midst: it is not tried at every repetition.
  if (at < (fillers.get(format) ?? 0)) return
  format.expression.lastIndex = at
  const found = format.expression.exec(line)?.[0]
  if (!found) {
    if (format.failsByRun) fillers.set(format, runEnd(line, at))
    return
  }
  if (!format.allowsFiller && (isFilled(found) || isName(format, found))) {
    fillers.set(format, at + found.length)
    return
  }
  claims.push({ rule: format.rule, start: at, end: at + found.length, rank: RANK.provider })
}

const RUN = /[\w-]*/y

function runEnd(line: string, at: number): number {
  RUN.lastIndex = at
  return at + (RUN.exec(line)?.[0].length ?? 0)
}

function isFilled(token: string): boolean {
  return hasFewCharacters(token.slice(token.length >> 1)) || FILLED.test(token.slice(-TAIL_CHARS))
}

/** Words without a digit after the beginning are the name of something. */
function isName({ anchors }: PlacedFormat, token: string): boolean {
  const own = token.slice(Math.max(MIN_PREFIX_CHARS, anchors[0]?.length ?? 0))
  return !/\d/.test(own) && surprise(own) < MAX_NAME_BITS
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

const BACKSLASH = 92
const PERCENT = 37

/** `\\n` before a token is the end of a line, not a letter; `%3D` and `\\u003d` are signs. */
function isEscape(codes: Uint16Array, at: number, lineStart: number): boolean {
  const isAfter = (back: number, code: number) => at - back >= lineStart && codes[at - back] === code
  return isAfter(2, BACKSLASH) || isAfter(3, PERCENT) || isAfter(4, BACKSLASH) || isAfter(6, BACKSLASH)
}
