import { type Claim, RANK } from '../finding.ts'
import { carriedByScheme } from '../layers/header-credentials.ts'
import { isKeywordSecret } from '../layers/keyword-layer.ts'
import { type KeyLevel, keyLevel } from '../looks/key-names.ts'
import { LOOKS } from '../looks/looks.ts'
import { declaredLevel, lentLevel } from './levelled-pairs.ts'
import type { LineState } from './line-state.ts'
import type { Pair } from './pair.ts'

const WAITING_LINES = 3
/** Read from the end of a line that is trimmed there, so that only one place is tried. */
const DANGLING =
  /$(?<=([\w$.-]{1,100})["'\]]{0,2}\s*(?::\s*(?:(?:[|>][+-]?|[+-])\s*)?|:?=>?\s*)(?:[\\[{]|"""|''')?)/
const OPEN_TAG = /<([A-Za-z_][\w.:-]{0,99})>\s*$/
/** The name of a value in a table of a web page, which has it in the next cell. */
const LONE_CELL = /<t[dh][^<>]{0,80}>\s{0,8}([\w.-]{1,60})\s{0,8}<\/t[dh]>$/i
/** The value of a field of a form stands below an empty line. */
const FORM_FIELD = /form-data;\s{0,3}name=\\?"([\w.-]{1,80})\\?"\s*$/
const LONE_VALUE =
  /^\s*(?:-\s{1,4}|<td[^<>]{0,80}>(?:<code>)?)?(["'`]?)([^\s"'`<>]{6,4096})["'`]{0,3}\s*(?:[,;+.\\)&]{1,3}\s*|(?:<\/\w{1,6}>\s*){1,2})?$/
const LONE_SCHEME = /^\s*(?:-\s{1,4})?["'`]?(?=(?:bearer|token)\s)/i
/** The next line of a file of settings: the name before it was given nothing. */
const NEXT_SETTING = /^[A-Za-z_][\w.-]*\s*[:=](?![=:]*$)/
/** A quoted text that goes on in the next line. */
const GOES_ON = /^["'`]\s*(?:[+.\\&]\s*)?$/
/** One of a list, or followed by another one. */
const LISTED = /^\s*-\s|,\s*$/
/** What each of several is: `passwords:` and below it `bob: …`. */
const MANY = /(?:passwords|passwds|pwds)$/i
const MEMBER = /^\s{1,80}["']?[\w.@-]{1,60}["']?\s?:\s{1,8}["']?([^\s"',{}]{6,128})["']?,?\s*(?:#.*)?$/

/** A value that stands alone on the line after its name; the level that a `value` on this line has been lent. */
export function takeWaiting(line: string, state: LineState, claims: Claim[]): KeyLevel | undefined {
  const { waiting } = state
  if (!waiting || line.trim() === '') return undefined
  waiting.lines--
  if (waiting.lines <= 0 || waiting.isOpen) state.waiting = undefined
  if (!waiting.isOpen) return waiting.level
  const member = waiting.isMany ? MEMBER.exec(line)?.[1] : undefined
  if (member !== undefined) {
    if (LOOKS.said(member)) claims.push(claimOf(line.lastIndexOf(member), member))
    state.waiting = { ...waiting, lines: WAITING_LINES }
    return undefined
  }
  const lead = LONE_SCHEME.exec(line)?.[0].length
  if (lead !== undefined) claimCarried(carriedByScheme(line, lead, false), claims)
  else takeAlone(line, state, waiting, claims)
  return undefined
}

function takeAlone(
  line: string,
  state: LineState,
  waiting: NonNullable<LineState['waiting']>,
  claims: Claim[],
): void {
  const found = LONE_VALUE.exec(line)
  const isQuoted = found !== null && found[1] !== ''
  if (!found?.[2] || (isQuoted ? false : waiting.isQuoted || NEXT_SETTING.test(found[2]))) return
  const claim = claimOf(line.indexOf(found[2]), found[2])
  const pair: Pair = { name: '', by: ':', start: claim.start, end: claim.end, isQuoted }
  if (!isKeywordSecret(line, pair, waiting.level)) return
  claims.push(claim)
  if ((isQuoted && GOES_ON.test(line.slice(pair.end))) || LISTED.test(line))
    state.waiting = { ...waiting, lines: WAITING_LINES }
}

function claimOf(start: number, value: string): Claim {
  return { rule: 'keyword_value', start, end: start + value.length, rank: RANK.keyword }
}

export function claimCarried(
  carried: readonly [start: number, end: number] | undefined,
  claims: Claim[],
): void {
  if (carried) claims.push({ rule: 'auth_header', start: carried[0], end: carried[1], rank: RANK.keyword })
}

/** The name whose value the next line has. */
function nameAtEnd(tail: string): string | undefined {
  if (!/[:=|>\\+["'{-]$/.test(tail)) return undefined
  const form = DANGLING.exec(tail) ?? OPEN_TAG.exec(tail) ?? LONE_CELL.exec(tail) ?? FORM_FIELD.exec(tail)
  return form?.[1]
}

/** What the line leaves to the next one. */
export function nextWaiting(line: string, pairs: readonly Pair[]): LineState['waiting'] {
  const name = nameAtEnd(line.slice(-200).trimEnd())
  const level = name === undefined ? 'plain' : keyLevel(name)
  if (level !== 'password' && level !== 'secret') return lentWaiting(line, pairs)
  return { level, isOpen: true, lines: WAITING_LINES, ...(MANY.test(name ?? '') && { isMany: true }) }
}

function lentWaiting(line: string, pairs: readonly Pair[]): LineState['waiting'] {
  const lent = declaredLevel(line) ?? lentLevel(line, pairs)
  return lent && { level: lent, isOpen: false, lines: WAITING_LINES }
}

/** A quoted text is written on in the next line, whose value is one as well. */
export function waitForMore(level: KeyLevel): LineState['waiting'] {
  return { level, isOpen: true, isQuoted: true, lines: WAITING_LINES }
}

/** Whether a text that ends here is one of several parts. */
export function goesOn(tail: string): boolean {
  return GOES_ON.test(tail)
}
