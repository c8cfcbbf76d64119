import { foreignLevel } from './foreign-words.ts'
import { surprise } from './randomness.ts'
import { isStandIn } from './stand-in.ts'

/** Stands for a value that is filled in elsewhere. */
const REFERENCE =
  /^(?:\{(?:env|file|vault|secret|ref|op|ssm|var):[\w./:#-]+\}|\$\{[^}]*\}|\$\(.*\)|\$\{\{.*\}\}|\{\{.*\}\}|\{[A-Za-z_.]*\}|\$(?:[a-z_]\w*(?:\[\w{1,20}\](?::\$[a-z_]\w*\[\w{1,20}\])?)?|[A-Z][A-Z0-9_]*|[A-Z][A-Za-z_]*\d{0,2})|%(?:[A-Za-z_]\w*%|\([\w.]*\)?[a-z]?|[a-z]{0,2})|<[^<>]*>|<%.*%>|#\{.*\}|@\w+@|\[[^\]]*\]|`.*|!\w+ .*)$/
const FILLER = /^(?:[x*.#?_0-]+|[x*.•…-]{4,}\w{0,4})$/i
/** It is left open how the value ends: these, and only signs after them. */
const OPEN_END = /x{5}$/i
const OPEN_SIGNS = /\*{3}|\.{3}|…/
const LINE_BREAK = /[\n\r\u2028\u2029]/
/** No value that is cut short in a text to read has one of these before the cut. */
const CHOSEN_SIGN = /[!@#$%^&?~]/
const NO_VALUE = new Set(
  (
    'password passwd pass passphrase secret token null none nil undefined true false string str number boolean bool int ' +
    'object array any unknown void required optional default empty passed passing failed failing test testing admin root user username changeit ' +
    'apikey api_key bearer basic private public text hidden disabled enabled missing invalid expired optional ' +
    'username:password user:password user:pass username:token test:test admin:admin'
  ).split(' '),
)
const MAX_NO_VALUE_CHARS = Math.max(...Array.from(NO_VALUE, (word) => word.length))
/** A class of characters, or the alphabet itself. */
const ALPHABET = /\[[^\][]*[A-Za-z0-9]-[A-Za-z0-9]|A-Za-z0-9|a-zA-Z0-9|abcdefghijklmnopq|ABCDEFGHIJKLMNOPQ/
/** Without a `-` in it, it takes so many. */
const MIN_ALPHABET_CHARS = 17
/** What is filled into a text. */
const FILLED_IN = /[$#]\{[\w.:()?!'"[\]@, -]+\}|\{\{[\w.:()|?'" -]+\}\}|%\{\w+\}/g
const MIN_OWN_CHARS = 8
const MIN_RUN_CHARS = 9
const TEMPLATE_BITS = 5

/** Whether a value only holds the place of a secret. */
export function isPlaceholder(value: string): boolean {
  if (isReference(value) || (value.length <= MAX_NO_VALUE_CHARS && NO_VALUE.has(value.toLowerCase())))
    return true
  if (value.includes('{') && isTemplate(value)) return true
  if (
    FILLER.test(value) ||
    endsOpen(value) ||
    isAlphabet(value) ||
    hasFewCharacters(value) ||
    isMostlyOne(value)
  )
    return true
  return isStandIn(value) || isForeignWord(value)
}

/** Most values begin with a letter or a digit, as no reference does. */
function isReference(value: string): boolean {
  return !isWordCode(value.charCodeAt(0)) && REFERENCE.test(value)
}

function isAlphabet(value: string): boolean {
  return (value.length >= MIN_ALPHABET_CHARS || value.includes('-')) && ALPHABET.test(value)
}

/** Whether nothing but signs follows a filler. Walked from the end: a pattern would try it from every place. */
function endsOpen(value: string): boolean {
  let end = value.length
  while (end > 0 && !isWordCode(value.charCodeAt(end - 1))) end--
  const signs = end === value.length ? -1 : value.slice(end).search(OPEN_SIGNS)
  const at = OPEN_END.test(value.slice(Math.max(0, end - 5), end)) ? end - 5 : signs < 0 ? -1 : end + signs
  const before = value.slice(0, at)
  return at >= 0 && !LINE_BREAK.test(before) && !CHOSEN_SIGN.test(before)
}

function isWordCode(code: number): boolean {
  if (code >= 97) return code <= 122
  return (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
}

/** A word for a password in another script, alone or in a phrase. */
function isForeignWord(value: string): boolean {
  return foreignLevel(value) !== undefined && /^[\p{L}\p{M}\s.:!?…。！？：]+$/u.test(value)
}

/** More than half of it is one character over and over. */
function isMostlyOne(value: string): boolean {
  let [longest, run] = [0, 0]
  for (let at = 1; at < value.length; at++) {
    run = value.charCodeAt(at) === value.charCodeAt(at - 1) ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest >= MIN_RUN_CHARS && longest > value.length / 2
}

/** Little of the text is its own. */
function isTemplate(value: string): boolean {
  const own = value.replace(FILLED_IN, '')
  return own.length < value.length && (own.length < MIN_OWN_CHARS || surprise(own) < TEMPLATE_BITS)
}

/** Whether a text is one or two characters over and over. */
export function hasFewCharacters(text: string): boolean {
  const length = Math.min(text.length, 64)
  let low = 0
  let high = 0
  let distinct = 0
  for (let at = 0; at < length && distinct <= 4; at++) {
    const code = text.charCodeAt(at) & 63
    const bit = 1 << (code & 31)
    if (((code < 32 ? low : high) & bit) !== 0) continue
    distinct++
    if (code < 32) low |= bit
    else high |= bit
  }
  return distinct <= 2 || (text.length >= 24 && distinct <= 4)
}
