import type { Mark } from '../mark.ts'
import { plainForm, unescapedForm } from './disguised-line.ts'
import { nameBefore, nameEndingAt } from './name-before.ts'
import { isQuote, markPair, type Pair } from './pair.ts'
import { findSqlValues } from './sql-rows.ts'
import { plainEnd } from './value-end.ts'
import { findFallbacks, unwrap } from './wrapped-values.ts'

const MAX_GAP_CHARS = 40
const MAX_TAG_CHARS = 200

/** Directives that give a value after a space: Dockerfiles, shells, web servers, `config set` of tools. */
const SETTING =
  /^\s{0,40}(?:[-+>$#]\s)?(?:ENV|setx?|SetEnv|[#%](?:define|global)|set -\w{1,3}|proxy_set_header|fastcgi_param|\w{2,12} config(?:ure)? set)\s{1,8}(?:\S{0,80}:)?\$?([A-Za-z_][\w.-]{2,80})\s{1,8}(?![=\s])/i
/** One name for another one in a program: `#define set_key hmac_set_key`. */
const ALIAS =
  /^\s{0,8}#\s{0,8}define\s{1,8}\w{1,100}\s{1,40}[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){2,12}\s*$/
/** What is passed after a quoted name to these is its value. */
const KEEPS = /(?<!re|off|pre)(?:put|set\w{0,16}|define|get|getenv|env|add|append|header)\(\s{0,3}["'`]$/i
const FLAG = /^(?:--([A-Za-z][\w-]{0,60})|-([A-Za-z]{4}[\w-]{0,56}))[ \t]{1,4}(?![-=:|>])/
/** A name and a quoted value after it, as build files and servers' settings write them. */
const QUOTED_SETTING =
  /^\s{0,40}(?:[-+>]\s{1,3})?(?:let\s{1,4}|var\s{1,4})?([A-Za-z_][\w.-]{2,80})\s{1,8}(?=["'][^"'])/
/** `a=b=c=…` without a space is no list of settings. */
const MAX_NESTED = 8
const WIDE_COLON = 0xff1a
const WIDE_EQUALS = 0xff1d
const BRACE = 123
/** Blanks and signs of no width that texts from web pages have. */
const BLANKS = ' \t\u00a0\u2009\u200b\u200c\u200d\u202f\u2060\ufeff'
/** Quotes of printed texts, and what closes each. */
const PRINTED = new Map(
  [...'“„‘‚«‹'].map((open, at) => [open, ['”', '“”', '’', '‘’', '»', '›'][at] as string]),
)
const MAX_WRAPPED_CHARS = 512
const CDATA = '<![CDATA['
const NINE = 57
const GROUP = /^[a-z][\w-]*(?:\.[\w-]+)+$/
const ARTIFACT = /^[A-Za-z][\w.-]*:(?:\d+(?:\.\w+)+|\$\{?[A-Za-z]|[a-z]+:\d)/
const SETTER = /(?:^|[._])(?:set|with)_?[A-Z]\w*$/

/** Finds what is named and given on a line, in the order of the line, marks among it. Takes time linear in it. */
export function findPairs(line: string, marks: readonly Mark[]): Pair[] {
  const pairs = readPairs(line, marks)
  const plain = plainForm(line)
  const unescaped = unescapedForm(line)
  const more = [
    ...(plain === undefined ? [] : readPairs(plain, marks)),
    ...(unescaped === undefined ? [] : readPairs(unescaped, marks)),
    ...findSqlValues(line),
    ...readFallbacks(line),
  ]
  return more.length === 0 ? pairs : [...pairs, ...more].toSorted((a, b) => a.start - b.start)
}

/** `process.env.NAME || "value"`, `environ.get("NAME") or "value"` */
function readFallbacks(line: string): Pair[] {
  return findFallbacks(line).flatMap(({ at, valueAt }) => {
    const name = nameBefore(line, at)
    const pair = name === '' ? undefined : valueAfter(line, valueAt, name, '=')
    return pair ? [pair] : []
  })
}

function readPairs(line: string, marks: readonly Mark[]): Pair[] {
  const pairs: Pair[] = []
  const setting = ALIAS.test(line) ? null : (SETTING.exec(line) ?? QUOTED_SETTING.exec(line))
  const first = setting?.[1] && valueAfter(line, setting[0].length, setting[1], ' ')
  if (first) pairs.push(first)
  let [outerEnd, nested, nextMark] = [0, 0, 0]
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code < 40 || (code > 62 && code !== BRACE && code !== WIDE_COLON && code !== WIDE_EQUALS)) continue
    while (nextMark < marks.length && (marks[nextMark] as Mark)[1] <= at) nextMark++
    const mark = marks[nextMark]
    const isInMark = mark !== undefined && mark[0] < at
    const pair = isInMark ? markPair(mark) : pairAt(line, at, code)
    if (isInMark) at = mark[1] - 1
    else if (code === 61 || code === 58) at = operatorEnd(line, at) - 1
    else if (code === 45 && line.charCodeAt(at + 1) === 45) at++
    if (!pair) continue
    pairs.push(pair)
    if (pair.isQuoted) continue
    nested = pair.start < outerEnd ? nested + 1 : 0
    outerEnd = Math.max(outerEnd, pair.end)
    if (nested > MAX_NESTED) at = Math.max(at, outerEnd - 1)
  }
  return pairs
}

function pairAt(line: string, at: number, code: number): Pair | undefined {
  if (code === 61 || code === 58) return givenPair(line, at, operatorEnd(line, at))
  if (code === 44) return passedPair(line, at, ',')
  if (code === 40) return passedPair(line, at, '(')
  if (code === 62) return enclosedPair(line, at)
  if (code === 45) return flagPair(line, at)
  // `name <- "value"`, and `name{"value"}`.
  if (code === 60) return line.startsWith('- ', at + 1) ? givenPair(line, at, at + 2) : undefined
  if (code === BRACE) return isQuote(line, at + 1) ? bracedPair(line, at) : undefined
  return code > 62 ? givenPair(line, at, at + 1) : undefined
}

/** The end of an operator such as `=`, `:=`, `=>`, `===` or `::=`. */
function operatorEnd(line: string, at: number): number {
  let end = at + 1
  while (end < at + 4 && (line[end] === '=' || line[end] === ':')) end++
  if (line[end] === '>') end++
  return end
}

function givenPair(line: string, at: number, end: number): Pair | undefined {
  if (line.startsWith('//', end)) return undefined
  let left = at
  while (left > 0 && '?+.!|'.includes(line[left - 1] as string)) left--
  const operator = line.slice(left, end)
  // A scope, as in `Kind::name`.
  if (operator === '::') return undefined
  const compares = operator.startsWith('!') || operator.startsWith('==')
  if (compares) {
    const turned = turnedPair(line, left, end)
    if (turned) return turned
  }
  const name = nameBefore(line, left)
  if (name === '' || isTagged(line, name, left, end) || isCoordinate(line, name, end)) return undefined
  const by = compares ? '=?' : operator.includes('=') || operator === '<-' ? '=' : ':'
  // `${NAME:-value}`
  const isDefault = line[end] === '-' && line[left - name.length - 1] === '{'
  return valueAfter(line, isDefault ? end + 1 : end, name, by)
}

/** `registry/auth:4f2a…` is a version of an image, `arn:aws:…:secret:x` a name: nothing is given to them. */
function isTagged(line: string, name: string, left: number, end: number): boolean {
  // Times of day are frequent: what begins with a digit is no such name.
  if (line[left] !== ':' || end - left !== 1 || name.charCodeAt(0) <= NINE) return false
  const start = left - name.length
  const before = line[start - 1]
  if ((before !== ':' && before !== '/') || !line.startsWith(name, start)) return false
  if (before === ':') return isInArn(line, start)
  return /^[0-9a-f]{12,64}(?![\w.-])/.test(line.slice(end, end + 66))
}

/** `io.jsonwebtoken:jjwt-api:0.12.5`: a group, an artifact and its version. */
function isCoordinate(line: string, name: string, end: number): boolean {
  return line[end - 1] === ':' && GROUP.test(name) && ARTIFACT.test(line.slice(end, end + MAX_TAG_CHARS))
}

function isInArn(line: string, at: number): boolean {
  const before = line.slice(Math.max(0, at - 120), at)
  const arn = before.lastIndexOf('arn:aws')
  return arn >= 0 && !/\s/.test(before.slice(arn))
}

/** `"value" == name`: the value stands first. */
function turnedPair(line: string, left: number, right: number): Pair | undefined {
  let end = left
  while (end > 0 && line[end - 1] === ' ') end--
  const quote = line[end - 1]
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
  const floor = Math.max(0, end - MAX_TAG_CHARS)
  const start = floor + line.slice(floor, end - 1).lastIndexOf(quote) + 1
  const name = /^[\s(]{0,4}([A-Za-z_$][\w$.-]{0,99})/.exec(line.slice(right, right + 110))?.[1]
  if (line[start - 1] !== quote || !name) return undefined
  return { name, by: '=?', start, end: end - 1, isQuoted: true }
}

/** `set("NAME", "value")`, `NAME,value` and `name("value")`. */
function passedPair(line: string, at: number, by: ',' | '('): Pair | undefined {
  let end = at
  if (by === ',') while (end > 0 && '"\'`'.includes(line[end - 1] as string)) end--
  const name = nameEndingAt(line, end)
  if (name === '') return undefined
  const from = by === '(' ? unwrap(line, at + 1) : at + 1
  if (by === '(' && !/^\s{0,8}[@bBrRfFuUL$]?\\?["'`]/.test(line.slice(from, from + 11))) return undefined
  const pair = valueAfter(line, from, name, by)
  if (pair?.isQuoted && isKept(line, end - name.length, name, by)) return { ...pair, by: '=' }
  // Without quotes only a table has its values right after the comma.
  return pair && (pair.isQuoted || (by === ',' && pair.start === at + 1)) ? pair : undefined
}

/** `put("name", "value")` and `setName("value")` give rather than pass. */
function isKept(line: string, nameStart: number, name: string, by: ',' | '('): boolean {
  if (by === '(') return SETTER.test(name) || /(?:^|\.)password$/i.test(name)
  return KEEPS.test(line.slice(Math.max(0, nameStart - 32), nameStart))
}

function bracedPair(line: string, at: number): Pair | undefined {
  const name = nameEndingAt(line, at)
  return name === '' ? undefined : valueAfter(line, at + 1, name, '=')
}

/** `<name>value<`, also `<name attribute="…">value<`. */
function enclosedPair(line: string, at: number): Pair | undefined {
  const floor = Math.max(0, at - MAX_TAG_CHARS)
  const open = floor + line.slice(floor, at).lastIndexOf('<')
  if (open < floor) return undefined
  const name = /^<([A-Za-z_][\w.:-]{0,99})/.exec(line.slice(open, open + 102))?.[1]
  if (!name) return undefined
  if (line.startsWith(CDATA, at + 1)) return wrappedPair(line, at + 1 + CDATA.length, ']]>', name, '>')
  const close = line.indexOf('<', at)
  // `<password>@host` is a hint of what to fill in.
  if (close < 0 && line[at + 1] === '@') return undefined
  const end = close < 0 ? line.length : close
  return trimmed(line, at + 1, end, name, '>', false)
}

/** What stands up to the sign that closes it. */
function wrappedPair(
  line: string,
  start: number,
  close: string,
  name: string,
  by: Pair['by'],
): Pair | undefined {
  // What is longer is looked at by its beginning alone: a sign that never comes would be looked for from every place.
  const end = start + line.slice(start, start + MAX_WRAPPED_CHARS).indexOf(close)
  return end > start ? { name, by, start, end, isQuoted: true } : undefined
}

/** `--name value`, and `-name value` where the name is a word. */
function flagPair(line: string, at: number): Pair | undefined {
  if (at > 0 && !/[\s"'`(]/.test(line[at - 1] as string)) return undefined
  const found = FLAG.exec(line.slice(at, at + 80))
  const name = found?.[1] ?? found?.[2]
  return found && name ? valueAfter(line, at + found[0].length, name, ' ') : undefined
}

function valueAfter(line: string, from: number, name: string, by: Pair['by']): Pair | undefined {
  let start = from
  const stop = Math.min(line.length, from + MAX_GAP_CHARS)
  // The name was bold: `**Password:** value`.
  if (by === ':' && line.startsWith('** ', start)) start += 2
  while (start < stop && BLANKS.includes(line[start] as string)) start++
  // Texts that go on over lines stand in brackets.
  const opens = by === '=' ? '([' : by === ':' ? '[' : ''
  if (opens.includes(line[start] ?? ' ') && isQuote(line, start + 1)) start++
  if (by === '=' || by === ':') start = unwrap(line, start)
  const closers = PRINTED.get(line[start] ?? '') ?? ''
  for (const close of closers) {
    const pair = wrappedPair(line, start + 1, close, name, by)
    if (pair) return pair
  }
  // A string may carry a prefix: @"…", b'…', r"…", f"…", $"…".
  if (isQuote(line, start + 1) && /[@bBrRfFuUL$]/.test(line[start] as string)) start++
  const isEscaped = line[start] === '\\' && isQuote(line, start + 1) && line[start + 1] !== '`'
  if (isEscaped || isQuote(line, start)) {
    const quote = line[isEscaped ? start + 1 : start] as string
    if (line[start + 1] === quote && line[start + 2] === quote && line.length > start + 3) start += 2
    const inner = start + (isEscaped ? 2 : 1)
    const end = quotedEnd(line, inner, quote, isEscaped)
    return { name, by, ...withinQuotes(line, inner, end), isQuoted: true }
  }
  return trimmed(line, start, plainEnd(line, start), name, by, false)
}

/** Quotes within the quotes belong to the value's type, not to the value: `"\"value\""`. */
function withinQuotes(line: string, start: number, end: number): { start: number; end: number } {
  const first = line.charCodeAt(start)
  if (first !== 34 && first !== 39 && first !== 92) return { start, end }
  const mark = /^\\?["'](?=[^"'])/.exec(line.slice(start, start + 3))?.[0]
  if (!mark || end - start <= 2 * mark.length || !line.startsWith(mark, end - mark.length))
    return { start, end }
  return { start: start + mark.length, end: end - mark.length }
}

function quotedEnd(line: string, start: number, quote: string, isEscaped: boolean): number {
  for (let at = line.indexOf(quote, start); at >= 0; at = line.indexOf(quote, at + 1)) {
    const slashed = line[at - 1] === '\\' && at > start
    if (isEscaped && slashed) return at - 1
    if (!isEscaped && !slashed) return at
  }
  return plainEnd(line, start)
}

function trimmed(line: string, from: number, to: number, name: string, by: Pair['by'], isQuoted: boolean) {
  let [start, end] = [from, to]
  while (start < end && line.charCodeAt(start) <= 32) start++
  while (end > start && line.charCodeAt(end - 1) <= 32) end--
  return start < end ? { name, by, start, end, isQuoted } : undefined
}
