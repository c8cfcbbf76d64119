import { type Claim, joinClaims, RANK } from '../finding.ts'
import { claimBesidePassword } from '../layers/beside-password.ts'
import { claimBesideService } from '../layers/beside-service.ts'
import { claimRandomTokens, type Token } from '../layers/entropy-layer.ts'
import { carriedByScheme } from '../layers/header-credentials.ts'
import { isKeywordSecret, MIN_VALUE_CHARS } from '../layers/keyword-layer.ts'
import { findKubernetesData } from '../layers/kubernetes-secret.ts'
import { hideBlockLine, isBlockLine, openBlock, type PemSpan } from '../layers/pem-blocks.ts'
import { claimProviderToken, type PlacedFormat } from '../layers/provider-layer.ts'
import { leaveSealed } from '../layers/sealed-texts.ts'
import { claimCells, claimNamedCells } from '../layers/secret-columns.ts'
import { claimStructure } from '../layers/structure-layer.ts'
import { foreignLevel } from '../looks/foreign-words.ts'
import type { KeyLevel } from '../looks/key-names.ts'
import { opensContent } from '../looks/known-content.ts'
import { MARK_START, MAX_MARK_CHARS, type Mark } from '../mark.ts'
import { findOwnerEnd } from '../owner-patterns.ts'
import { RULES } from '../rules.ts'
import { ANY_WORD, type Lead } from './anchor-table.ts'
import { declaredLevel, type LevelledPair, levelled } from './levelled-pairs.ts'
import type { LineState } from './line-state.ts'
import { firstAfter, isInMark, judgedAlone, withoutMarks } from './mark-places.ts'
import type { Pair } from './pair.ts'
import { findPairs } from './pairs.ts'
import type { PassedTokens } from './passed-tokens.ts'
import { valueEnd } from './value-end.ts'
import { claimCarried, goesOn, nextWaiting, takeWaiting, waitForMore } from './waiting-values.ts'

/** An anchor on a line, and what it leads to. */
export interface Hit {
  lead: Lead
  at: number
}

/** A line, or a piece of a very long one, with what the scan saw on it. */
export interface SeenLine {
  text: string
  hits: readonly Hit[]
  /** A word stands on it that may name a secret. */
  hasWord: boolean
  /** A long run of hexadecimal digits stands on it. */
  hasHex: boolean
  tokens: readonly Token[]
  passed: PassedTokens
}

/** A claim that goes on from the line before gets no mark of its own. */
export interface LineClaim extends Claim {
  goesOn?: true
}

const SAYING = /[\p{L}\p{N}]/u
const MAX_TAIL_CHARS = 40
/** How credentials begin that are not written for themselves. */
const SCHEME_START = /(?:bearer|token)[ \\%+]/iy

/** Finds the secrets of a line, in its order and apart from each other, and takes note for the next line. */
export function inspectLine(line: SeenLine, state: LineState): LineClaim[] {
  if (state.pem === 'private') {
    const hidden = hideBlockLine(line.text)
    if (!hidden?.goesOn) state.pem = 'outside'
    if (hidden) return [hiddenClaim(hidden.span), ...inspectAfter(line, hidden.span.end, state)]
  }
  return inspectShown(line, state)
}

function hiddenClaim(span: PemSpan): LineClaim {
  return { rule: 'private_key', ...span, rank: RANK.structure, goesOn: true }
}

/** What stands on a line behind the end of a block. */
function inspectAfter(line: SeenLine, from: number, state: LineState): LineClaim[] {
  if (from >= line.text.length) return []
  const hits = line.hits.filter(({ at }) => at >= from)
  const tokens = line.tokens.filter(({ start }) => start >= from)
  return inspectShown({ ...line, hits, tokens }, state).filter(({ start }) => start >= from)
}

function inspectShown(line: SeenLine, state: LineState): LineClaim[] {
  if (state.pem === 'public' && (line.hits.some(isEnd) || !isBlockLine(line.text))) state.pem = 'outside'
  const marks = findMarks(line)
  const claims: Claim[] = []
  const shown = claimAnchored(line, marks, state, claims)
  claimData(line.text, state, claims)
  if (line.hasHex) claimBesideService(line.text, claims)
  const mayOpen = line.hasWord || line.hits.some(({ lead }) => lead.kind === 'columns')
  if (state.table || mayOpen) state.table = claimCells(line.text, state.table, mayOpen, claims)
  if (line.hasWord) claimNamedCells(line.text, claims)
  if (line.hasWord) claimBesidePassword(line.text, claims)
  claimPairs(shown.length === 0 ? line : withoutTokens(line, shown), marks, state, claims)
  if (state.pem === 'outside' && endsInContent(line)) state.pem = 'public'
  return leaveMarks(line.text, leaveSealed(line.text, joinClaims(claims)), marks)
}

/** The line ends in the beginning of a file or a certificate, which may go on in the next lines. */
function endsInContent({ text, hits, tokens }: SeenLine): boolean {
  const starts = hits.filter(({ lead }) => lead.kind === 'content').map(({ at }) => at)
  const last = tokens.at(-1)?.start
  return [...starts.slice(-2), ...(last === undefined ? [] : [last])].some((at) => opensContent(text, at))
}

function isEnd({ lead }: Hit): boolean {
  return lead.kind === 'end'
}

/** Marks made by these very rules; what looks like one but names no rule is text like any other. */
function findMarks(line: SeenLine): Mark[] {
  const marks: Mark[] = []
  for (const { lead, at } of line.hits) {
    if (lead.kind !== 'mark') continue
    const from = at + MARK_START.length
    const close = line.text.slice(from, at + MAX_MARK_CHARS).indexOf(']')
    if (!line.text.startsWith(MARK_START, at) || !RULES.has(line.text.slice(from, from + close))) continue
    marks.push([at, from + close + 1])
  }
  return marks
}

function withoutTokens(line: SeenLine, shown: readonly PemSpan[]): SeenLine {
  const isShown = (token: Token) => shown.some(({ start, end }) => start <= token.start && token.end <= end)
  return { ...line, tokens: line.tokens.filter((token) => !isShown(token)) }
}

/** Claims what anchors lead to; returns the bodies of public blocks, which are to be shown. */
function claimAnchored(line: SeenLine, marks: Mark[], state: LineState, claims: Claim[]): PemSpan[] {
  let hidden = 0
  const shown: PemSpan[] = []
  const fillers = new Map<PlacedFormat, number>()
  for (const [index, { lead, at }] of line.hits.entries()) {
    if (at < hidden || isInMark(marks, at)) continue
    if (lead.kind === 'format') claimProviderToken(lead.format, line.text, at, claims, fillers)
    else if (lead.kind === 'structure') claimStructure(lead.structure, line.text, at, claims)
    else if (lead.kind === 'begin') hidden = claimBlock(line, index, state, claims, shown)
    else claimGiven(lead, line.text, at, claims)
  }
  return shown
}

function claimGiven(lead: Lead, line: string, at: number, claims: Claim[]): void {
  if (lead.kind === 'known' && line.startsWith(lead.form.text, at)) {
    claims.push({ rule: lead.form.rule, start: at, end: at + lead.form.text.length, rank: RANK.known })
  }
  if (lead.kind !== 'owner') return
  const end = findOwnerEnd(line, at, lead.pattern)
  if (end !== undefined) claims.push({ rule: 'owner_pattern', start: at, end, rank: RANK.owner })
}

function claimBlock(
  line: SeenLine,
  index: number,
  state: LineState,
  claims: Claim[],
  shown: PemSpan[],
): number {
  const at = (line.hits[index] as Hit).at
  const end = line.hits.slice(index + 1, index + 50).find(isEnd)?.at ?? -1
  const block = openBlock(line.text, at, end)
  if (block.isOpen) state.pem = block.state
  if (block.state === 'public') shown.push({ start: at, end: block.bodyEnd })
  if (block.state !== 'private') return block.state === 'public' ? block.span.end : at
  claims.push({ rule: 'private_key', ...block.span, rank: RANK.structure })
  return block.span.end
}

function claimData(line: string, state: LineState, claims: Claim[]): void {
  if (state.kubernetes.kind === 'none' && !/kind|apiVersion/.test(line.slice(0, 4_000))) return
  for (const [start, end] of findKubernetesData(line, state.kubernetes)) {
    claims.push({ rule: 'kubernetes_secret', start, end, rank: RANK.structure })
  }
}

function claimPairs(line: SeenLine, marks: Mark[], state: LineState, claims: Claim[]): void {
  const hasWord = line.hasWord && (marks.length === 0 || namesSecret(withoutMarks(line.text, marks)))
  const waiting = takeWaiting(line.text, state, claims) ?? declaredLevel(line.text)
  if (!hasWord && line.tokens.length === 0 && waiting === undefined) return
  const found = findPairs(line.text, marks)
  const pairs = levelled(line.text, found, waiting)
  const keyed: Claim[] = []
  const open = hasWord || waiting ? claimKeyed(line.text, pairs, marks, keyed) : undefined
  for (const claim of keyed) claims.push(claim)
  if (state.pem !== 'public') claimRandomTokens(line, pairs, keyed, claims)
  if (open) state.waiting = waitForMore(open)
  else if (hasWord) state.waiting = nextWaiting(line.text, found) ?? state.waiting
}

function namesSecret(text: string): boolean {
  return ANY_WORD.test(text) || foreignLevel(text) !== undefined
}

/** Claims what is given to names; gives the level of the last name if its value goes on in the next line. */
function claimKeyed(
  line: string,
  pairs: readonly LevelledPair[],
  marks: readonly Mark[],
  claims: Claim[],
): KeyLevel | undefined {
  let covered = 0
  let open: KeyLevel | undefined
  for (const { pair, level } of pairs) {
    if (pair.start < covered) continue
    const carried = carriedBy(line, pair, level)
    claimCarried(carried, claims)
    if (carried) covered = carried[1]
    if (carried || pair.end - pair.start < MIN_VALUE_CHARS) continue
    const judged = marks.length === 0 ? { line, pair } : judgedAlone(line, pair, marks)
    if (!isKeywordSecret(judged.line, judged.pair, level())) continue
    covered = valueEnd(line, pair)
    open = pair.isQuoted ? level() : undefined
    claims.push({ rule: 'keyword_value', start: pair.start, end: covered, rank: RANK.keyword })
  }
  return open && line.length - covered < MAX_TAIL_CHARS && goesOn(line.slice(covered)) ? open : undefined
}

/** What a scheme carries in a value that is a credential by its name. */
function carriedBy(line: string, { name, start }: Pair, level: () => KeyLevel) {
  SCHEME_START.lastIndex = start
  if (!SCHEME_START.test(line)) return undefined
  return ['secret', 'weak'].includes(level()) ? carriedByScheme(line, start, !/auth/i.test(name)) : undefined
}

/** Marks stay as they are. What is claimed beside one goes all the same: anybody may write a mark beside a secret. */
function leaveMarks(line: string, claims: Claim[], marks: readonly Mark[]): Claim[] {
  return marks.length === 0 ? claims : claims.flatMap((claim) => piecesBeside(line, claim, marks))
}

function piecesBeside(line: string, claim: Claim, marks: readonly Mark[]): Claim[] {
  const pieces: Claim[] = []
  let from = claim.start
  for (let at = firstAfter(marks, claim.start); at < marks.length; at++) {
    const [start, end] = marks[at] as Mark
    if (start >= claim.end) break
    pieces.push({ ...claim, start: from, end: start })
    from = end
  }
  if (pieces.length === 0) return [claim]
  pieces.push({ ...claim, start: from, end: claim.end })
  return pieces.map((piece) => trimmed(line, piece)).filter(({ start, end }) => start < end)
}

/** Without the spaces around it; nothing where it has signs alone, as between two marks. */
function trimmed(line: string, claim: Claim): Claim {
  const text = line.slice(claim.start, claim.end)
  if (!SAYING.test(text)) return { ...claim, end: claim.start }
  const start = claim.end - text.trimStart().length
  return { ...claim, start, end: start + text.trim().length }
}
