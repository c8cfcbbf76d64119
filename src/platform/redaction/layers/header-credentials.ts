import { isPlaceholder } from '../looks/placeholder.ts'
import { surprise } from '../looks/randomness.ts'
import { saysWhatItIs } from '../looks/stand-in.ts'

/** Headers that hold a credential and nothing else, besides those that end in one of the words below. */
const NAME =
  /(?:(?<=\\[nrt])|(?<![A-Za-z0-9_/@]|(?<!headers?|common)\.))(?:(?:[a-z0-9]{1,20}[_-]){0,4}(?:authorization(?:[ _-]header)?|auth[ _-]header)|(?:[a-z0-9]{1,20}-){0,4}(?:api-?key|(?:auth|access|private|security|session|vault|job|deploy|github|gitlab|user|app|admin|service|subscription|functions|art-api|oauth|id|refresh|csrf|xsrf)-(?:token|key)|(?:auth|api|client|app|access)-secret|x-[a-z0-9-]{0,30}token))(?![A-Za-z0-9_-])/iy
const HEADER_ONLY =
  /^[Xx]-|^(?:PRIVATE-TOKEN|Private-Token|private-token)$|^Ocp-|^ocp-|^DD-|^Api-Key$|^Proxy-/
/**
 * What joins a header and its value: a colon, an assignment, or the comma of a call; a space may be escaped, and signs
 * written for web pages.
 */
const JOINT =
  /((?:["'`*\]\\]|&quot;|&#3[49];){0,40})((?:\s|\\ ){0,4}(?:=>|={2,3}(?=\s{0,3}["'`][a-z]{4,20}\s)|[:=]|%3a|&#58;|,(?=\s{0,4}[\\@]{0,40}["'`])|\s(?=["']))(?:\s|\\ |%20|\+){0,4})((?:\\|@(?=\\*["'`])){0,40}(?:["'`]|&quot;|&#3[49];)?)/iy
/** `"Authorization", "value": "…"`, `name="Authorization" value="…"` */
const VALUED =
  /["'\\]{1,40}(?:\s{0,4},\s{0,4}["'\\]{0,40}|\s{1,4})value["'\\]{0,40}\s{0,4}[:=]\s{0,4}[\\]{0,40}["']/iy
/** Anything else may stand between a header and its scheme: a cell, an element, an arrow, a few words. */
const NEARBY = /(?<![A-Za-z0-9_-])(?:(bearer)|token)(?:[ \t]{1,4}|\\ |%20|\+)["'`]?/i
const NEAR_CHARS = 60
/** Signs alone join the two, or a verb: tokens are spoken of more often than bearers. */
const MARKUP = /<[^<>]{0,60}>|&[lg]t;/g
const GIVES = /^[^A-Za-z]*[^A-Za-z\s][^A-Za-z]*$/
const GIVES_BEARER = /^[^A-Za-z]*$|\b(?:is|was|to|as|had|has|sent|be)\W{0,3}$/i
/** A text of a scheme and what it carries, in quotes before the name of its header: `set("Token x", for: "Authorization")`. */
const QUOTED = /(["'`])(?:bearer|token)[ \t]{1,4}([^\s"'`\\,;<>()]{4,100})\1/gi
const BEFORE_CHARS = 160
const CARRIES = /(?:authorization|[ _-]header)$/i
/** A scheme and what it carries: `Bearer x`, `Token token="x"`, `SSWS x`, `'Bearer ' + 'x'`, `'Bearer %s' % 'x'`. */
const SCHEME =
  /(?:\[\s?){0,2}["'`]?([A-Za-z][A-Za-z0-9-]{1,30})(?:(?:(?<=bearer|token):)?[ \t]{1,4}|\\ |%20|\+)(?:(?:%s|\{\})?["'`]\s{0,3}(?:[+.,%]|\.format\()\s{0,3}(?=["'`]))?(?:(?:token|auth|key|apikey|access_token)=)?[\\]{0,8}["'`]?/iy
const VALUE = /(?:(?!&(?:quot|lt|#3[49]);)[^\s"'`\\,;<>()]){4,100}/y
const MIN_CHARS = 4
const REST = /(?:(?!&(?:quot|lt|#3[49]);)[^\s"'`\\,;<>()])*/y
const BARE_SCHEME =
  /(?<![A-Za-z0-9])bearer[ \t]{1,3}(?:(?:%s|\{\})?["'`]\s{0,3}(?:[+.,%]|\.format\()\s{0,3}["'`])?/iy
/** The header is spoken of right before its value. */
const NAMED = /(?:auth\w*|header|value)["'`]?\s?[:=-]\s{0,3}$/i
/** Words that sentences about headers go on with. */
const WORD = /^[A-Za-z]{1,20}[.:!?)]?$/
const SCHEMES =
  /^(?:basic|bearer|token|digest|negotiate|apikey|api-key|key|oauth|hmac|aws4-hmac-sha256|[a-z-]*token)$/i
const EXPLAINED = new Set(
  (
    'token tokens auth authentication authorization authenticated authorized authenticator scheme schemes header headers ' +
    'credential credentials jwt access realm string value and or is with format requests required requirement ' +
    'verification validation protected protection challenge challenges endpoint endpoints security parameter ' +
    'parameters prefixed whitespace followed instead whatever whichever handling parsing support ' +
    'supported prefix prefixes request should before either option options method methods response secret secrets comparison extraction injection propagation forwarding expected malformed missing expired invalid revoked refused rejected accepted'
  ).split(' '),
)
/** Words, joined or alone: `token`, `auth_header`, `x-api-key`. */
const NAME_LIKE = /^[A-Za-z_$][A-Za-z_$]*(?:-[A-Za-z_$]+)*[?!;]?$/
const HEADER_LIKE =
  /(?:^|-)(?:x|auth\w*|headers?|tokens?|keys?|bearer|cookie|accept|content|agent|type)(?:-|$)/i
const LOOSE_SCHEME = /^(?:bearer|token)$/i
const SHORT_WORD = /^[a-z]{1,9}$/
const NO_SCHEME = /^(?:headers?|schemes?|credentials|realm|string|value|and|or|is|with|format)$/i
const RAW_HEADER = /^\s*(?:[<>*+-]\s)?(?:Proxy-)?Authorization: /
/** `realm=…` says something of the credential. */
const PARAMETER = /^[a-z_]{2,30}=(?:$|[^=])/
const MAX_WORD_BITS = 5
/** Longer words go on in a sentence only if they explain headers. */
const MIN_OWN_WORD_CHARS = 6
const MAX_NAME_CHARS = 40
const NAME_CHAR = /[A-Za-z0-9_-]/
const REFERENCE =
  /^(?:(?:env|file|vault|secret|ref|op|ssm|var):|[\w+]{2,20}:\/\/|![A-Za-z_]+$|[$%#@:]?[{[<(]|%(?:[A-Za-z_]*|\w*%)$|:\w+$|\.{3}|\*{3}|@\w+@$|~)/
const FILLED_IN = /[$#]\{|\{\{|%[({]|\$\(/
/** A member of an object or a call, as programs write them: no token of a header has its form by chance. */
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:\[[\w'"]{0,20}\]?|\??\.[A-Za-z_$][\w$]*)+[([]?$|\($/

type Span = readonly [start: number, end: number]

/** The beginning of a value is enough to judge it by. */
function whole(line: string, span: Span | undefined): Span | undefined {
  if (!span) return undefined
  if (/[\]}]/.test(line[span[1]] ?? '')) return span
  REST.lastIndex = span[1]
  return [span[0], span[1] + (REST.exec(line)?.[0].length ?? 0)]
}

/** Whatever stands in a header for credentials is one, unless it stands for another text. */
export function findHeader(line: string, at: number): Span | undefined {
  return whole(line, headerAt(line, at))
}

function headerAt(line: string, at: number): Span | undefined {
  const start = startOfName(line, at)
  NAME.lastIndex = start
  const name = NAME.exec(line)?.[0]
  if (!name) return undefined
  const behind = start + name.length
  const valued = endAt(VALUED, line, behind)
  if (valued !== undefined) return carriedAt(line, valued, name) ?? undefined
  JOINT.lastIndex = behind
  const joint = JOINT.exec(line)
  if (!joint) return CARRIES.test(name) ? carriedNear(line, start, behind) : undefined
  const from = JOINT.lastIndex
  const carried = carriedAt(line, from, name)
  if (carried !== undefined) return carried ?? undefined
  const value = valueAt(line, from)
  if (value && isLoneValue(line, value, start, name, joint)) return value
  return CARRIES.test(name) ? carriedNear(line, start, behind) : undefined
}

/** What a scheme carries close to the name of the header, whatever joins the two. */
function carriedNear(line: string, start: number, behind: number): Span | undefined {
  const near = NEARBY.exec(line.slice(behind, behind + NEAR_CHARS))
  if (near) {
    const gap = line.slice(behind, behind + near.index).replace(MARKUP, '>')
    const isSure = (near[1] ? GIVES_BEARER : GIVES).test(gap) || /["'`]$/.test(gap)
    const carried = carriedByScheme(line, behind + near.index, !isSure)
    if (carried) return carried
  }
  const from = Math.max(0, start - BEFORE_CHARS)
  for (const { index } of line.slice(from, start).matchAll(QUOTED)) {
    const quoted = carriedByScheme(line, from + index + 1, false)
    if (quoted) return quoted
  }
  return undefined
}

/** What a scheme carries; null where that stands for another text, and undefined where there is no scheme. */
function carriedAt(line: string, from: number, name: string): Span | null | undefined {
  SCHEME.lastIndex = from
  const scheme = SCHEME.exec(line)
  if (!scheme || isEnd(line, SCHEME.lastIndex)) return undefined
  const carried = valueAt(line, SCHEME.lastIndex)
  if (!carried || !isSchemeOf(name, scheme[1] ?? '')) return undefined
  return isCarried(line, carried, scheme[1]) ? carried : null
}

/** `Bearer x` or `Token x`; where the place `isLoose`, no header for certain, words may be words. */
export function carriedByScheme(line: string, from: number, isLoose: boolean): Span | undefined {
  SCHEME.lastIndex = from
  const scheme = SCHEME.exec(line)
  if (!scheme || !LOOSE_SCHEME.test(scheme[1] ?? '')) return undefined
  const carried = valueAt(line, SCHEME.lastIndex)
  if (!carried || !isCarried(line, carried)) return undefined
  return isLoose && isPlainName(line.slice(...carried)) ? undefined : whole(line, carried)
}

function isPlainName(carried: string): boolean {
  const text = carried.replace(/[.:!?]+$/, '')
  if (SHORT_WORD.test(text)) return true
  return NAME_LIKE.test(text) && surprise(text) < MAX_WORD_BITS && !isJoined(text)
}

/** Words written as one that are no variable for a credential: `StoneSummer`, `stone_summer`. */
function isJoined(word: string): boolean {
  return /[a-z](?:[A-Z]|_[A-Za-z])[a-z]/.test(word) && !saysWhatItIs(word)
}

function endAt(pattern: RegExp, line: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(line) ? pattern.lastIndex : undefined
}

/** `Bearer x` where the header is not named: in quotes it is all that they hold. */
export function findBearer(line: string, at: number): Span | undefined {
  return whole(line, bearerAt(line, at))
}

function bearerAt(line: string, at: number): Span | undefined {
  BARE_SCHEME.lastIndex = at
  const found = BARE_SCHEME.exec(line)
  const value = found && valueAt(line, BARE_SCHEME.lastIndex)
  if (!value || !isCarried(line, value)) return undefined
  const text = line.slice(...value)
  const quote = /["'`]$/.exec(line.slice(Math.max(0, at - 1), at))?.[0]
  if (quote && line[value[1]] === quote) return value
  if (isAllOf(line, at, value[1])) return value
  return looksRandom(text) || NAMED.test(line.slice(Math.max(0, at - 40), at)) ? value : undefined
}

/** Nothing else is held by the element, or stands on the line but the sign of a list. */
function isAllOf(line: string, start: number, end: number): boolean {
  if (line[start - 1] === '>' && line[end] === '<') return true
  return (
    /^\s*(?:-\s)?["']?$/.test(line.slice(Math.max(0, start - 200), start)) &&
    /^["']?\s*$/.test(line.slice(end))
  )
}

/** An anchor may stand in the midst of a name. */
function startOfName(line: string, at: number): number {
  let start = at
  const stop = Math.max(0, at - MAX_NAME_CHARS)
  while (start > stop && NAME_CHAR.test(line[start - 1] as string)) start--
  // A sign of a diff or of a flag is no part of it, nor is what stands for a new line.
  while (start < at && line[start] === '-') start++
  if (line[start - 1] === '\\' && start < at && /[nrt]/.test(line[start] ?? '')) start++
  return start
}

function looksRandom(text: string): boolean {
  if (text.length < 8 || /[/:]{1,2}[\w.]/.test(text)) return /^\d+\|/.test(text)
  const bits = surprise(text)
  return (
    (/\d/.test(text) && bits >= 4.4) ||
    (/[a-z][A-Z]/.test(text) && bits >= 5) ||
    (text.length >= 16 && bits >= 5.2)
  )
}

function isSchemeOf(name: string, scheme: string): boolean {
  return /authorization$/i.test(name) || SCHEMES.test(scheme)
}

/** The name stands within quotes that hold the header as a whole: `"X-Api-Key: …"`. */
function isInQuotes(line: string, at: number): boolean {
  const before = line.slice(Math.max(0, at - 200), at)
  return (before.match(/"/g)?.length ?? 0) % 2 === 1 || (before.match(/'/g)?.length ?? 0) % 2 === 1
}

function isEnd(line: string, at: number): boolean {
  return at >= line.length || /["'`]/.test(line[at] ?? '')
}

function valueAt(line: string, from: number): Span | undefined {
  VALUE.lastIndex = from
  const found = VALUE.exec(line)?.[0]
  if (!found) return undefined
  // What closes a bracket around the header is no part of its value.
  const text = /[[{]/.test(found) ? found : found.replace(/[\]}]{1,4}$/, '')
  return text.length < MIN_CHARS ? undefined : [from, from + text.length]
}

function isCarried(line: string, [start, end]: Span, scheme = ''): boolean {
  const text = line.slice(start, end)
  const word = WORD.test(text) ? text.replace(/[.:!?)]+$/, '') : undefined
  // A word of a sentence: others follow, or it is one that such sentences end in. No login is a word.
  if (word && EXPLAINED.has(word.toLowerCase())) return false
  if (isReference(text) || line[end] === '(' || PARAMETER.test(text) || NO_SCHEME.test(scheme)) return false
  if (!word || surprise(word) >= MAX_WORD_BITS) return true
  if (/^basic$/i.test(scheme)) return false
  if (/[a-z][A-Z]/.test(word) || word.length >= MIN_OWN_WORD_CHARS) return true
  return !/^(?:\s{1,2}[A-Za-z(]|'[a-z])/.test(line.slice(end, end + 4))
}

/** A value without a scheme: the name of a variable or of another header may stand there, or a type. */
function isLoneValue(line: string, span: Span, at: number, name: string, joint: RegExpExecArray): boolean {
  const text = line.slice(...span)
  const [, closing = '', sign = '', quote = ''] = joint
  // The name of a header again.
  if (text.length < 6 || text.endsWith(':') || /^(?:proxy-)?authorization/i.test(text)) return false
  if (isReference(text) || SCHEMES.test(text) || PARAMETER.test(text)) return false
  if (sign.includes(',')) return /\d/.test(text) && looksRandom(text)
  // `'x-api-key': apiKey` and `headers['authorization'] = value` are programs.
  if (/["'`\]]/.test(closing) && !/["'`]/.test(quote)) return false
  const isWord = NAME_LIKE.test(text) && surprise(text) < MAX_WORD_BITS
  if (HEADER_ONLY.test(name))
    return isWord ? isJoined(text) || (text.includes('-') && !HEADER_LIKE.test(text)) : isCarried(line, span)
  if (/["'`]/.test(quote) || isInQuotes(line, at)) return !isWord
  if (RAW_HEADER.test(line.slice(0, at + 40)) && text.includes('-')) return !HEADER_LIKE.test(text)
  return !isWord && (/\d/.test(text) || surprise(text) >= MAX_WORD_BITS)
}

function isReference(text: string): boolean {
  if (/^\[\w+\]$/.test(text)) return !looksRandom(text.slice(1, -1))
  return (
    isPlaceholder(text) ||
    REFERENCE.test(text) ||
    FILLED_IN.test(text) ||
    (EXPRESSION.test(text) && !/\d{2}/.test(text) && surprise(text) < MAX_WORD_BITS)
  )
}
