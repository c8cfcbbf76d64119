import { type Claim, RANK } from '../finding.ts'
import { findTokenShape } from '../formats/token-shapes.ts'
import { isAlphabet, isBase85Line, isKnownContent, isMadeName, isPlace } from '../looks/known-content.ts'
import { isPlaceholder } from '../looks/placeholder.ts'
import { shannon, surprise } from '../looks/randomness.ts'
import { isConstantName, isEncodedText, isHex, isPublicKey, isUuid } from '../looks/value-shapes.ts'
import type { LevelledPair } from '../scan/levelled-pairs.ts'
import type { Pair } from '../scan/pair.ts'
import type { PassedTokens } from '../scan/passed-tokens.ts'
import { isBesideService } from './beside-service.ts'

/** A run of token characters that holds letters beyond hexadecimal ones and digits. */
export interface Token {
  start: number
  end: number
}

/** A line with its tokens, and those of them that an earlier look at it left. */
interface TokenLine {
  text: string
  tokens: readonly Token[]
  passed: PassedTokens
}

/** What is less surprising than this is never looked at. */
export const MIN_BITS = 5.2
export const MIN_TOKEN_CHARS = 16
const NEAR_CHARS = 60
/** So far back an address may begin. */
const URL_CHARS = 300
/** A line of more tokens is worth remembering what was found of them: it may be looked at again. */
const MANY_TOKENS = 32
/** How random a token must look, the less is said about it. */
const NEAR = { bits: 5.4, chars: 16 }
const GIVEN = { bits: 5.4, chars: 20 }
const BARE = { bits: 5.6, chars: 20, shannon: 4.5 }
/** What is longer is a file in the clothes of a text. */
const MAX_TOKEN_CHARS = 1_024

/** So many pairs that begin before a token may hold it. */
const MAX_AROUND = 20

const HASH_BEFORE =
  /(?<=sha\d{1,3}[-:=]|md5[-:=]|h1:|W\/"|public.?key\W{1,3}|[@#]|integrity\W{1,4}|\/s:|%|base64,\W{0,3}|checksum\W{1,4}(?:\d{1,3}\/)?)/iy
const HASH = /(?:(?:sha\d{1,3}|md5|h1)[-:/]|\/nix\/store\/|nonce-)/iy
const FILE = /\.[A-Za-z][A-Za-z0-9]{0,5}$/
/** Short random text may repeat itself: of this form it is taken for a key even so. */
const BASE64_KEY = /^(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9].*[0-9])[A-Za-z0-9+/]{32,128}={0,2}$/
/** Plain words and a few letters of chance after them: what programs call temporary folders and pods. */
const GENERATED_NAME = /^((?:[a-z0-9]{1,16}[-_])+)[A-Za-z0-9]{4,8}$/
const MAX_WORD_BITS = 5.5
/** Words with humps and a number here and there: `PekkoHttp11Plaintext`. */
const HUMPED = /^(?:[A-Z][a-z]{3,15}\d{0,2}){2,6}$/
/** Names that are given to things: a ULID, an address of a ledger, an object of a payment service. */
const MADE_ID =
  /^(?:01[0-9A-HJKMNP-TV-Z]{24}|bc1[a-z0-9]{39,59}|bafy[a-z0-9]{50,60}|Qm[1-9A-Za-z]{44}|(?:pi|cus|sub|ch|in|prod|price|evt|acct|pm|seti|txn|req|card|src|si|po|py|dp|il|ii)_[A-Za-z0-9]{8,32})$/
/** Ids that the hub itself gives; none of them opens anything. */
const OWN_ID =
  /^(?:bdead|brun|cint|conn|evt|exec|fgrnt|oagt|oev|prop|req|run|sub|tok|tses)_[0-9a-f]{16}(?:[0-9a-f]{8}){0,2}$/
const WORDS_NEAR = /passw|secret|token|api.?key|credential|access.?key|private.?key|auth.?key/i

/** Claims tokens that look made by chance, by what the line says about them. */
export function claimRandomTokens(
  { text: line, tokens, passed }: TokenLine,
  pairs: readonly LevelledPair[],
  keyed: readonly Claim[],
  claims: Claim[],
): void {
  if (tokens.length === 0 || isBase85Line(line)) return
  // Told once for the line, not anew for each token.
  const hasCurve = line.includes('"crv"')
  let covered = 0
  let [next, nextKeyed] = [0, 0]
  for (const seen of tokens) {
    // The sign of a diff, of which this may be the only line.
    const token = seen.start === 0 && line[0] === '-' ? { ...seen, start: 1 } : seen
    while (next < pairs.length && (pairs[next] as LevelledPair).pair.start <= token.start) next++
    while (nextKeyed < keyed.length && (keyed[nextKeyed] as Claim).end < token.end) nextKeyed++
    if (token.end <= covered || isHash(line, token)) continue
    const text = line.slice(token.start, token.end)
    const around = pairAround(pairs, next, token)
    const isGone = isWithin(token, keyed[nextKeyed]) && (!around || isWithin(around.pair, keyed[nextKeyed]))
    // Of what its name has claimed, only the shape may say more.
    if (isGone && findTokenShape(text) === undefined) continue
    const sight = () => sightOf(line, token, around, hasCurve)
    if (passed.has(sight) || isPlaceholder(text)) continue
    const shape = findTokenShape(text)
    const span = shape ? token : findRandomSpan(line, token, text, around, hasCurve)
    if (!span && tokens.length > MANY_TOKENS) passed.add(sight)
    if (!span) continue
    covered = span.end
    const rank = shape ? RANK.provider : RANK.entropy
    claims.push({ rule: shape ?? 'high_entropy', start: span.start, end: span.end, rank })
  }
}

/** The last pair that holds a token, of the ones before `next`. */
function pairAround(pairs: readonly LevelledPair[], next: number, token: Token): LevelledPair | undefined {
  for (let at = next - 1; at >= Math.max(0, next - MAX_AROUND); at--) {
    const around = pairs[at] as LevelledPair
    if (token.end <= around.pair.end) return around
  }
  return undefined
}

function isWithin({ start, end }: Token, whole: Token | undefined): boolean {
  return whole !== undefined && whole.start <= start && end <= whole.end
}

/** All that a token is judged by: while it stays the same, so does what was found of it. */
function sightOf(
  line: string,
  { start, end }: Token,
  around: LevelledPair | undefined,
  hasCurve: boolean,
): string {
  const from = Math.max(0, start - URL_CHARS)
  const place: (string | number | boolean)[] = [start - from, end - start, hasCurve]
  if (around) {
    const { pair, level } = around
    place.push(pair.by, pair.name, level(), pair.isQuoted, pair.start - start, pair.end - end)
  }
  return `${place.join()} ${line.slice(from, end + NEAR_CHARS)}`
}

function findRandomSpan(
  line: string,
  token: Token,
  text: string,
  around: LevelledPair | undefined,
  hasCurve: boolean,
) {
  if (isUuid(text) || isHex(text) || isConstantName(text) || isPublicKey(text)) return undefined
  // What is called or filled is a name.
  if (isMadeName(text) || HUMPED.test(text) || line[token.end] === '(' || line[token.end] === '{')
    return undefined
  const pair = around?.pair
  const level = around?.level()
  if (level === 'public' || isInUrl(line, token) || isKeyPart(pair, text, hasCurve)) return undefined
  const part = longestPart(text)
  if (isUuid(part) || isHex(part) || isGeneratedName(part) || OWN_ID.test(part)) return undefined
  const bits = part === text ? surprise(text) : Math.min(surprise(text), surprise(part) + 0.4)
  if (FILE.test(text)) return undefined
  if (bits >= NEAR.bits && part.length >= NEAR.chars && isNearSecretWord(line, token)) return token
  if (MADE_ID.test(text) || isMessageId(line, token)) return undefined
  if (isKnownContent(text) || isAlphabet(text) || isPlace(text)) return undefined
  if (isEncodedText(text) || text.length > MAX_TOKEN_CHARS) return undefined
  if (bits >= NEAR.bits && part.length >= NEAR.chars && isBesideService(line, token.start, undefined))
    return token
  const isGiven = pair && (pair.by !== '(' || level === 'weak') && isWholeValue(line, pair, token)
  if (isGiven && bits >= GIVEN.bits && part.length >= GIVEN.chars) return pair
  const isBare = text.length >= BARE.chars && bits >= BARE.bits
  return isBare && (shannon(text) > BARE.shannon || BASE64_KEY.test(text)) ? token : undefined
}

/** Digests are named before they are given; a commit follows `@` or `#`, a hashed host `|1|`. */
function isHash(line: string, token: Token): boolean {
  HASH_BEFORE.lastIndex = token.start
  HASH.lastIndex = token.start
  return line.startsWith('|1|') || HASH_BEFORE.test(line) || HASH.test(line)
}

/** The longest part between the separators of paths and names; base64 has no `.` and keeps its `/`. */
function longestPart(text: string): string {
  const isBase64 =
    /^[A-Za-z0-9+/]+={0,2}$/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text) && !text.startsWith('/')
  if (isBase64 && (text.match(/\//g)?.length ?? 0) <= text.length / 10) return text
  return text.split(/[/.]/).reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

function isGeneratedName(part: string): boolean {
  const words = GENERATED_NAME.exec(part)?.[1]
  return words !== undefined && surprise(words) <= MAX_WORD_BITS
}

/** `<…@host>` of a mail. */
function isMessageId(line: string, token: Token): boolean {
  return line[token.start - 1] === '<' && line[token.end] === '@'
}

const KEY_PART_CHARS: ReadonlySet<number> = new Set([43, 64, 75, 76, 86, 88])

/** A coordinate or the modulus of a public key, as JSON Web Keys name and measure them. */
function isKeyPart(pair: Pair | undefined, text: string, hasCurve: boolean): boolean {
  if (pair?.by !== ':' || !pair.isQuoted || pair.end - pair.start !== text.length) return false
  if (pair.name === 'n') return text.length >= 171
  if (pair.name !== 'x' && pair.name !== 'y') return false
  return KEY_PART_CHARS.has(text.length) || hasCurve
}

function isInUrl(line: string, token: Token): boolean {
  if (line.startsWith('//', token.start) && line[token.start - 1] === ':') return true
  const before = line.slice(Math.max(0, token.start - URL_CHARS), token.start)
  const word = before.slice(before.lastIndexOf(' ') + 1)
  return word.includes('://') || word.includes(':\\/\\/') || word.includes('arn:aws')
}

function isWholeValue(line: string, pair: Pair, token: Token): boolean {
  return (
    !/\s/.test(line.slice(pair.start, token.start)) &&
    pair.by !== ',' &&
    pair.end - pair.start - (token.end - token.start) <= 4
  )
}

function isNearSecretWord(line: string, token: Token): boolean {
  const before = line.slice(Math.max(0, token.start - NEAR_CHARS), token.start)
  return WORDS_NEAR.test(before) || WORDS_NEAR.test(line.slice(token.end, token.end + NEAR_CHARS / 2))
}
