import { joinClaims, RANK } from '../finding.ts'
import { mayHaveShape } from '../formats/token-shapes.ts'
import { MIN_BITS, MIN_TOKEN_CHARS, type Token } from '../layers/entropy-layer.ts'
import { mayBeginAt } from '../layers/provider-layer.ts'
import { findForeignWords } from '../looks/foreign-words.ts'
import { surprise } from '../looks/randomness.ts'
import { isEncodedText } from '../looks/value-shapes.ts'
import { MARK_START, MAX_MARK_CHARS } from '../mark.ts'
import type { AnchorTable, Lead } from './anchor-table.ts'
import { ROW_BITS } from './anchors.ts'
import { type Hit, inspectLine, type LineClaim, type SeenLine } from './inspect-line.ts'
import { atStart, copyState, isInBlock, isWatching, type LineState } from './line-state.ts'
import { type PassedTokens, passedTokens } from './passed-tokens.ts'
import { holdsOnlyPairs, mergeSettled, replaceClaims } from './settled-claims.ts'
import { MAX_COLOUR_CHARS, withoutColours } from './terminal-colours.ts'
import { CLASS_BITS, DIGIT, KIND_UNIT, RANDOM, traitTable } from './traits.ts'

/** A longer line is looked at in pieces of this many characters. */
const WINDOW_CHARS = 16_384
/** Of a line that goes on, less than this is not looked at: a colour at the end of a piece has to be seen whole. */
export const ENOUGH_CHARS = WINDOW_CHARS + MAX_COLOUR_CHARS
/** A piece ends so far before the end of what was looked at, so that a secret there is seen whole. */
const OVERLAP_CHARS = 4_096
/** What is found first is enough: no more is looked at than so much at a time. */
const PART_CHARS = 512
const MAX_CUT_SEARCH_CHARS = 2_048
/** How often a line may be looked at again once its secrets are gone. */
const ROUNDS = 4

const NEWLINE = 10
/** Fewer hexadecimal digits are no key. */
const MIN_HEX_CHARS = 24

/** A text that is looked at again while another is being looked at has its own place for each round. */
const SHORT_CHARS = 512
const shortCodes = Array.from({ length: ROUNDS + 1 }, () => new Uint16Array(SHORT_CHARS + 1))

/** The characters of a text with a line end after them, valid until the next text of the same round. */
function codesOf(text: string, round: number): Uint16Array {
  const short = text.length <= SHORT_CHARS ? shortCodes[round] : undefined
  const codes = short ?? new Uint16Array(text.length + 1)
  // Short texts are many: to ask for memory takes longer than to look at one.
  if (short) for (let at = 0; at < text.length; at++) short[at] = text.charCodeAt(at)
  else Buffer.from(codes.buffer).write(text, 'utf16le')
  codes[text.length] = NEWLINE
  return codes
}

/** Takes what is found, in the order of the text. */
export type Take = (claim: LineClaim, offset: number) => void

/** Walks texts that follow each other and remembers where it is between them. */
export interface Scanner {
  /** Looks at whole lines, at all of the text if it is the last one; returns how much of it is done with. */
  scan(text: string, isLast: boolean, take: Take): number
}

/** What a walk needs to know. */
interface Walk {
  table: AnchorTable
  traits: Uint16Array
  state: LineState
  /** Rules that are switched off. */
  off: ReadonlySet<string>
  /** How often a line may still be looked at again once its secrets are gone. */
  rounds: number
  /** A longer line is looked at in pieces. */
  window: number
  /** What an earlier look at the same line passed over. */
  passed?: PassedTokens
}

/** Makes scanners, each at the beginning of a text; what the rules in `off` find is left alone. */
export function makeScanners(table: AnchorTable, off: ReadonlySet<string>): () => Scanner {
  // What depends on the anchors alone is laid out once.
  const traits = traitTable(table.anchors)
  return () => {
    const walk = { table, traits, state: atStart(), off, rounds: ROUNDS, window: WINDOW_CHARS }
    return { scan: (text, isLast, take) => walkText(walk, withoutColours(text), isLast, take) }
  }
}

/** One walk over the text: anchors of all layers and runs of token characters, line by line. */
function walkText(walk: Walk, text: string, isLast: boolean, take: Take): number {
  const { table, traits, state, window } = walk
  const { next, firstHit } = table.anchors
  const length = text.length
  // A typed array is read faster than a string.
  const codes = codesOf(text, walk.rounds)
  const foreign = findForeignWords(text)
  let nextForeign = 0
  let seen = nothingSeen()
  let [lineStart, place, run, kinds] = [0, 0, 0, 0]
  for (let at = 0; at <= length; at++) {
    const code = codes[at] as number
    const trait = traits[code < 128 ? code : 128] as number
    if (trait >= KIND_UNIT) {
      run++
      kinds |= trait
    } else if (run > 0) {
      if (run >= MIN_TOKEN_CHARS && (kinds & RANDOM) === RANDOM)
        addToken(seen.tokens, text, at - run, at, lineStart)
      else if (run >= MIN_HEX_CHARS && (kinds & RANDOM) === DIGIT) seen.hasHex = true
      run = 0
      kinds = 0
    }
    if (code !== NEWLINE && at - lineStart < window) {
      place = next[(place << ROW_BITS) + (trait & CLASS_BITS)] as number
      if (place >= firstHit) addHits(table, seen, place, codes, at + 1, lineStart)
      continue
    }
    const isWhole = code === NEWLINE
    if (!isLast && (at === length || (!isWhole && lineStart + ENOUGH_CHARS > length))) break
    let end = at
    while ((foreign[nextForeign] as number) < lineStart) nextForeign++
    if ((foreign[nextForeign] as number) < at) seen.hasWord = true
    if (
      seen.hasWord ||
      seen.hits.length > 0 ||
      seen.tokens.length > 0 ||
      seen.hasHex ||
      isWatching(state) ||
      !isWhole
    ) {
      end = finishLine(walk, text, lineStart, at, isWhole, seen, take)
      seen = nothingSeen()
    }
    lineStart = isWhole ? at + 1 : end
    at = lineStart - 1
    place = 0
    run = 0
    kinds = 0
  }
  return Math.min(lineStart, length)
}

/** What the walk has seen on the line so far. */
interface Seen {
  hits: Hit[]
  hasWord: boolean
  /** A long run of hexadecimal digits stands on it. */
  hasHex: boolean
  tokens: Token[]
}

function nothingSeen(): Seen {
  return { hits: [], hasWord: false, hasHex: false, tokens: [] }
}

/** Words are frequent: of them it is only told that there are any. Beginnings of tokens begin a word. */
function addHits(
  table: AnchorTable,
  seen: Seen,
  place: number,
  codes: Uint16Array,
  end: number,
  lineStart: number,
): void {
  const { hitsOf, firstHit, lengths } = table.anchors
  for (const index of hitsOf[place - firstHit] as readonly number[]) {
    const lead = table.leads[index] as Lead
    const at = end - (lengths[index] as number)
    if (lead.kind === 'word') seen.hasWord = true
    else if (lead.kind !== 'format' || mayBeginAt(lead.format, codes, at, lineStart))
      seen.hits.push({ lead, at: at - lineStart })
  }
}

function finishLine(
  walk: Walk,
  text: string,
  start: number,
  end: number,
  isWhole: boolean,
  seen: Seen,
  take: Take,
): number {
  const { state } = walk
  const line = text.slice(start, end)
  const from = goOn(line, state, isWhole, start, take)
  const seenLine = { text: line, ...seen, passed: walk.passed ?? passedTokens() }
  const claims = from >= line.length ? [] : claimsOf(walk, seenLine, isWhole)
  state.isMidLine = !isWhole
  const cut = isWhole ? line.length : cutAt(line, claims)
  for (const claim of claims) if (claim.start >= from && claim.start < cut) take(claim, start)
  const last = claims.findLast((claim) => claim.start < cut)
  if (!isWhole && last && last.end >= line.length) state.reachesOver = last.rule
  return start + Math.max(1, cut)
}

/** A line of a diff is judged as the line without its sign, which stays as it is. */
function claimsOf(walk: Walk, line: SeenLine, isWhole: boolean): LineClaim[] {
  const { state } = walk
  if (line.hits.some(({ lead, at }) => lead.kind === 'diff' && at === 0)) state.isDiff = true
  if (state.isMidLine || !hasSign(line.text, state.isDiff)) return settledClaims(walk, line, isWhole)
  const hits = line.hits.filter(({ at }) => at > 0).map((hit) => ({ ...hit, at: hit.at - 1 }))
  const tokens = line.tokens.map(({ start, end }) => ({ start: Math.max(0, start - 1), end: end - 1 }))
  const { waiting } = copyState(state)
  const claims = settledClaims(walk, { ...line, text: line.text.slice(1), hits, tokens }, isWhole)
  // What a change takes out and what it puts in its place stand behind the same name.
  if (line.text.startsWith('-')) state.waiting ??= waiting
  return claims.map((claim) => ({ ...claim, start: claim.start + 1, end: claim.end + 1 }))
}

/** Outside of a diff a `-` may begin an item of a list or a flag. */
function hasSign(line: string, isDiff: boolean): boolean {
  return /^(?:\+(?!\+)|-[ \t]{2})/.test(line) || (isDiff && /^[+-](?!\+\+ |-- )/.test(line))
}

/** A mark may part what hid a secret beside it: a line is done when another look finds no more. */
function settledClaims(walk: Walk, line: SeenLine, isWhole: boolean): LineClaim[] {
  const before = copyState(walk.state)
  const inside = claimsInside(walk, line)
  const all = inspectLine(line, walk.state)
  const claims: LineClaim[] = (inside.length === 0 ? all : joinClaims([...all, ...inside])).filter(
    ({ rule }) => !walk.off.has(rule),
  )
  for (const claim of claims) if (claim.guise && walk.off.has(claim.guise.rule)) delete claim.guise
  if (claims.length === 0 || walk.rounds === 0) return claims
  const end = isWhole ? line.text.length : cutAt(line.text, claims)
  if (!isInBlock(before) && holdsOnlyPairs(line, claims, end)) return claims
  const more: LineClaim[] = []
  line.passed.lookAgain()
  // The block that goes on here is gone by then.
  if (claims[0]?.goesOn) before.pem = 'outside'
  const again = {
    ...walk,
    state: before,
    rounds: walk.rounds - 1,
    passed: line.passed,
    window: Number.POSITIVE_INFINITY,
  }
  walkText(again, replaceClaims(line.text, claims), true, (claim, offset) =>
    more.push({ ...claim, start: claim.start + offset, end: claim.end + offset }),
  )
  return more.length === 0 ? claims : mergeSettled(claims, more)
}

function addToken(tokens: Token[], text: string, start: number, end: number, lineStart: number): void {
  if (surprise(text, start, end) < MIN_BITS && !mayHaveShape(end - start)) return
  let padded = end
  while (padded < end + 2 && text.charCodeAt(padded) === 61) padded++
  tokens.push({ start: start - lineStart, end: padded - lineStart })
}

/** A text in base64 that has a secret in it is hidden as a whole. */
function claimsInside(walk: Walk, line: SeenLine): LineClaim[] {
  if (walk.rounds === 0 || line.tokens.length === 0) return []
  return line.tokens.flatMap(({ start, end }) => {
    const text = line.text.slice(start, end)
    const rule = isEncodedText(text) ? ruleWithin(walk, Buffer.from(text, 'base64').toString()) : undefined
    return rule === undefined ? [] : [{ rule, start, end, rank: RANK.entropy }]
  })
}

/** The rule of the first secret in a text that another one carries; what looks random in there is no news. */
function ruleWithin({ table, traits, off, rounds }: Walk, text: string): string | undefined {
  const window = Number.POSITIVE_INFINITY
  const inner: Walk = { table, traits, off, state: atStart(), rounds: rounds - 1, window }
  const rules: string[] = []
  const take: Take = ({ rule, rank }) => rank < RANK.entropy && rules.push(rule)
  for (let from = 0, end = 0; from < text.length && rules.length === 0; from = end) {
    end = text.indexOf('\n', from + PART_CHARS) + 1 || text.length
    walkText(inner, text.slice(from, end), true, take)
  }
  return rules[0]
}

const REST = /[^\s"'`<>,;&]*/y

/** The rest of a secret that began on an earlier piece of the same line. */
function goOn(line: string, state: LineState, isWhole: boolean, offset: number, take: Take): number {
  if (state.reachesOver === undefined) return 0
  const rule = state.reachesOver
  REST.lastIndex = 0
  const end = REST.exec(line)?.[0].length ?? 0
  if (end < line.length || isWhole) state.reachesOver = undefined
  if (end > 0) take({ rule, start: 0, end, rank: 0, goesOn: true }, offset)
  return end
}

/** Where a piece of a long line may end: not inside a finding or a mark, better not inside a word. */
function cutAt(line: string, claims: readonly LineClaim[]): number {
  const wanted = line.length - OVERLAP_CHARS
  let cut = wanted
  while (cut > wanted - MAX_CUT_SEARCH_CHARS && !/[\s,;&]/.test(line[cut - 1] as string)) cut--
  if (cut <= wanted - MAX_CUT_SEARCH_CHARS) cut = wanted
  const code = line.charCodeAt(cut)
  if (code >= 0xdc00 && code < 0xe000) cut--
  const mark = line.lastIndexOf(MARK_START, cut)
  if (mark > 0 && mark > cut - MAX_MARK_CHARS) cut = mark
  const across = claims.find((claim) => claim.start < cut && cut < claim.end)
  return across ? across.end : cut
}
