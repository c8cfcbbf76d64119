import {
  hasInnerSign,
  hasOwnNumber,
  hasSignAndDigit,
  isDigitsAmongLetters,
  isSignedLetters,
} from '../looks/chosen-password.ts'
import { isSecretName, type KeyLevel } from '../looks/key-names.ts'
import { LOOKS } from '../looks/looks.ts'
import {
  hasHolderWord,
  isFlagName,
  isOddLetters,
  isPassphrase,
  isProgramName,
  isSlug,
  isWord,
} from '../looks/named-things.ts'
import { isPlaceholder } from '../looks/placeholder.ts'
import { surprise } from '../looks/randomness.ts'
import {
  isCode,
  isConstantName,
  isHex,
  isMisnested,
  isPublicKey,
  isUrlOrPath,
  isUuid,
} from '../looks/value-shapes.ts'
import type { Pair } from '../scan/pair.ts'

export const MIN_VALUE_CHARS = 6
/** The beginning of a long value tells enough. */
const MAX_JUDGED_CHARS = 160
/** Identifiers and words lie below, random text above. */
const RANDOM_BITS = { password: 4.4, secret: 4.7, weak: 5 } as const
/** Names joined by dots are a place in a program, unless they are out of the ordinary. */
const DOTTED_BITS = 5.6
const LISTED_BITS = 5.4
const MAX_SLUG_BITS = 5.6
const BASE64_BITS = 5.6
/** Fewer characters under a weak name are the name of a thing with a number after it. */
const MIN_WEAK_CHARS = 12
/** A name, an operator and a quote before a value reach no further back. */
const MAX_LEAD_CHARS = 100
const MIN_SIGNED = { chars: 24, signs: 6, kinds: 5 }
const NUMBER = /^0x[0-9a-f]{1,16}$/i
const VERSION = /^(?:[\^~<>=v* ]*\d+(?:\.[\dx*]+)+|(?:[<>]=?|[\^~=!])\s?\d[\d.x*]*\s?[|,])/
/** A chosen password, unlike a variable, has a digit and no word for what it is. */
const CHOSEN = /^(?=.*\d)(?=.*[A-Za-z])[\w!@#%^*?~+-][\w!@#$%^*?~+-]*$/i
/** A text of JSON, what a form asks of a value, the coordinates of a library or a package, an entry of a directory. */
const NO_VALUE =
  /^(?:[{[]\s?\\?["{[]|(?:required|nullable|sometimes|string|confirmed)\||[a-z][\w-]*(?:\.[\w-]+)+:[a-z][\w.-]*(?::[\w.+-]+)?$|(?:cn|ou|uid|dc)=|@?[\w./-]+@[\^~]?\d+\.\d)/
const ROUTE = /^[a-z_/]+#[a-z_]+$/
const MAX_ROUTE_BITS = 4.8
/** A few words in small letters that do not speak of passwords. */
const PHRASE = /^[a-z]{2,16}(?: [a-z0-9]{2,16}){3,11}$/
const TALK =
  /\b(?:pass(?:word|phrase|code)s?|secrets?|tokens?|keys?|login|your|must|should|invalid|required?|please|enter|not|is|are|was|the|for|to|of)\b/
const SETTING_LINE =
  /^\s*(?:[#-]\s*)?(?:export\s+|set\s+|-?-e(?:nv)?\s+|ARG\s+|ENV\s+|\/\/[\w.:/-]{1,100}\/:_)?[A-Za-z][\w.-]*=[^\s()]+\s*(?:\\|\s#.*)?$/
const LINE_OF_ITS_OWN =
  /^\s*(?:-\s+)?(?:[A-Za-z][\w.-]*\s*[:=]\s+|(?:ENV|setx?|setenv)\s+\w+\s+)[^\s(),;]+\s*(?:\s#.*)?$/
/** What stands before the name of a value that is given in a log, an address or a list of settings. */
const BEFORE_NAME = /(?:^|[\s;&?])[\w.-]+=$/
const DOTTED_NAME = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/
/** What a cache is filed under: words, and a digest after them. */
const NAMED_DIGEST = /^(?:[A-Za-z]\w{0,30}-){2,8}[0-9a-f]{32,64}$/

/** The value as it was given to a name that calls for a secret. */
export function isKeywordSecret(line: string, pair: Pair, level: KeyLevel): boolean {
  if (level !== 'password' && level !== 'secret' && level !== 'weak') return false
  const value = line.slice(pair.start, Math.min(pair.end, pair.start + MAX_JUDGED_CHARS))
  if (value.length < MIN_VALUE_CHARS || !/[A-Za-z0-9]/.test(value) || isPlaceholder(value)) return false
  if (
    isPublicKey(value) ||
    (isUrlOrPath(value) && !isBase64Key(value)) ||
    isConstantName(value) ||
    VERSION.test(value) ||
    NUMBER.test(value)
  )
    return false
  if (NO_VALUE.test(value) || isRoute(value) || isFlagName(value) || isOwnName(pair.name, value)) return false
  if (isVerdict(pair) && !LOOKS.strong(value)) return false
  if (level === 'password' && isChosen(line, pair, value)) return true
  if (level === 'secret' && isChosenSecret(line, pair, value)) return true
  if (!pair.isQuoted && (isProse(line, pair, value) || !isPlainValue(pair, value, level))) return false
  return isMade(pair, value, level)
}

/** `PASS: name of a test` */
function isVerdict({ name, by, isQuoted }: Pair): boolean {
  return name === 'PASS' && by === ':' && !isQuoted
}

/** Base64 may begin with a slash as paths do, but no path looks made by chance. */
function isBase64Key(value: string): boolean {
  return /^\/[A-Za-z0-9+/]{23,}={0,2}$/.test(value) && /\d/.test(value) && surprise(value) >= BASE64_BITS
}

/** Where a route of a web server leads: `passwords#edit`. */
function isRoute(value: string): boolean {
  return ROUTE.test(value) && surprise(value) < MAX_ROUTE_BITS
}

/** What somebody has thought of as a secret, in a line that gives it and nothing else. */
function isChosenSecret(line: string, pair: Pair, value: string): boolean {
  if (pair.by === ',' || pair.by === '(' || pair.by === '=?') return false
  if (!pair.isQuoted && !isSettingLine(line) && !isLineOfItsOwn(line)) return false
  if (isAsserted(line, pair, value)) return hasOwnNumber(value) && !value.endsWith('!')
  return hasSignAndDigit(value) || isSignedLetters(value) || isDigitsAmongLetters(value)
}

/** Signs, digits and letters of both cases mixed as no name has them. */
function isMixed(value: string): boolean {
  if (!/[^\w\s]/.test(value) || !/\d/.test(value) || isSlug(value) || hasHolderWord(value)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /[!@#$%^&*?~+=]/].filter((kind) => kind.test(value)).length
  return kinds >= 2 && !/[.:/\\]/.test(value)
}

/** Something a person may have thought of: more than one kind of character, or several words. */
function isChosen(line: string, pair: Pair, value: string): boolean {
  if (pair.by === ',' || pair.by === '(' || pair.by === '=?')
    // A selector of a page begins with its sign.
    return (
      pair.isQuoted &&
      /^[^#$.@%]/.test(value) &&
      (isUnlikeNames(value) || (pair.by === '=?' && isPassphrase(value)))
    )
  if (/\s/.test(value)) return isPhrase(line, pair, value)
  if (isOddLetters(value) || isSignedLetters(value) || isPassphrase(value)) return true
  if (hasSignAndDigit(value) && !isAsserted(line, pair, value)) return true
  if (!pair.isQuoted) {
    const standsAlone = isSettingLine(line) || isLineOfItsOwn(line) || isGivenPlainly(line, pair)
    if (standsAlone && hasInnerSign(value)) return true
    if (CHOSEN.test(value))
      return !hasHolderWord(value) || isSettingLine(line) || (standsAlone && /\d{2}/.test(value))
    return /^[a-z]{8,}$/.test(value) && !isSecretName(value) && isSettingLine(line)
  }
  if ((/[0-9]/.test(value) && /[A-Za-z]/.test(value)) || hasInnerSign(value)) return true
  if (/^[a-z]{6,}$/.test(value) || (/^[a-z]+(?:[_-][a-z]+)+$/.test(value) && !hasHolderWord(value)))
    return !isSecretName(value)
  return pair.by === '=' && /[a-z][A-Z]/.test(value) && !/^[a-z]+[A-Z][a-z]+$/.test(value)
}

function isUnlikeNames(value: string): boolean {
  return hasSignAndDigit(value) || isSignedLetters(value) || (hasOwnNumber(value) && !hasHolderWord(value))
}

/** `password: input1!,` of a program, whose `!` belongs to the language. */
function isAsserted(line: string, pair: Pair, value: string): boolean {
  if (pair.isQuoted || !/^[@$]?[A-Za-z_$][\w$.]*!?$/.test(value)) return false
  if (/\d\$$/.test(value)) return false
  return !value.endsWith('!') || (/^\s*[,;)\]}]/.test(line.slice(pair.end)) && !/\d{2}!$/.test(value))
}

/** A name, a colon or a sign of equality and a value, with nothing behind it but a remark. */
function isLineOfItsOwn(line: string): boolean {
  return LINE_OF_ITS_OWN.test(line.slice(0, 300))
}

/** `user=bob password=…` rather than an argument of a call. */
function isGivenPlainly(line: string, pair: Pair): boolean {
  if (pair.by !== '=' || !/^(?:[\s;&]|$)/.test(line.slice(pair.end, pair.end + 1))) return false
  return BEFORE_NAME.test(line.slice(Math.max(0, pair.start - MAX_LEAD_CHARS), pair.start))
}

function isSettingLine(line: string): boolean {
  return SETTING_LINE.test(line.slice(0, 300))
}

/** `ResetPasswordAction = "ResetPassword"`: a name is given itself, or a file called so. */
function isOwnName(name: string, value: string): boolean {
  if (value.length > 2 * name.length || !/^[A-Za-z][\w.-]*$/.test(value)) return false
  return lettersOf(name).includes(lettersOf(value.replace(/\.\w{1,4}$/, '')))
}

function lettersOf(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** A label stands in a list of texts, whose names are quoted or followed by a colon. */
function isPhrase(line: string, pair: Pair, value: string): boolean {
  if (!pair.isQuoted || !PHRASE.test(value) || TALK.test(value)) return false
  return (
    /phrase/i.test(pair.name) ||
    (pair.by === '=' &&
      /\w\s*:?=\s*["'`]$/.test(line.slice(Math.max(0, pair.start - MAX_LEAD_CHARS), pair.start)))
  )
}

/** The first word of a sentence in whatever language. */
function isProse(line: string, pair: Pair, value: string): boolean {
  return pair.by === ':' && !/\d/.test(value) && /^ \p{L}{2}/u.test(line.slice(pair.end, pair.end + 4))
}

/** Without quotes a value may be code: a call, a list, a number, another name. */
function isPlainValue(pair: Pair, value: string, level: KeyLevel): boolean {
  if (isMisnested(value)) return !value.startsWith('/')
  if (/[()[\]{}|\\]|->/.test(value)) return false
  if (isWord(value) || (level !== 'password' && isProgramName(value))) return false
  if (pair.by === ',' && !isDigitRich(value) && surprise(value) < LISTED_BITS) return false
  if (level === 'weak' && !/^[\w+/=~%-]{16,}$/.test(value) && !isDottedToken(value)) return false
  if (DOTTED_NAME.test(value)) return surprise(value) >= DOTTED_BITS
  return !isCode(value) || isRandom(value, 'secret') || isDigitRich(value)
}

/** Long random parts joined by dots, as no host or member of a program is. */
function isDottedToken(value: string): boolean {
  return /^[\w-]{12,}(?:\.[\w-]+){1,4}$/.test(value) && !/\.[a-z]{2,6}$/.test(value) && surprise(value) >= 5.4
}

/** Something made by chance: hexadecimal, a UUID, a long number, or letters in an order no word has. */
function isMade(pair: Pair, value: string, level: 'password' | 'secret' | 'weak'): boolean {
  if (pair.isQuoted && isSigned(value)) return true
  if (/\s/.test(value)) return level !== 'weak' && pair.isQuoted && isMadeOfParts(value)
  if (level !== 'password' && /^\p{Lu}/u.test(value) && isWord(value)) return false
  if (level === 'weak' && (NAMED_DIGEST.test(value) || (DOTTED_NAME.test(value) && !isDottedToken(value))))
    return false
  if (level === 'weak' && /%[-\d.]{0,4}[sdifx]/.test(value)) return false
  if (level !== 'password' && isSlug(value) && surprise(value) < MAX_SLUG_BITS) return false
  if (isUuid(value) || (isDigitRich(value) && value.length >= (level === 'weak' ? 36 : 20))) return true
  if (/^\d+$/.test(value)) return level !== 'weak' && value.length >= (pair.isQuoted ? 10 : 16)
  if (level !== 'weak' && /^[0-9a-f]{8,}[:.][0-9a-f]{8,}$/i.test(value)) return true
  if (level !== 'weak' && isPadded(value)) return true
  if (level !== 'weak' && pair.isQuoted && pair.by !== '(' && pair.by !== ',' && isSignedLetters(value))
    return true
  if (isHex(value)) return value.length >= (level === 'weak' ? 24 : 12) && /\d/.test(value)
  if (isMisnested(value)) return value.length >= 12 && /[#$@%^~?]/.test(value) && !/\\|\(\?/.test(value)
  if (
    level === 'secret' &&
    pair.isQuoted &&
    pair.by !== '(' &&
    pair.by !== ',' &&
    value.length >= 8 &&
    isMixed(value)
  )
    return true
  if (level === 'weak' || !hasOddCharacters(value)) return isRandom(value, level)
  // Signs without quotes may be escapes of an address or a comparison.
  if (!pair.isQuoted)
    return value.length >= 12 && !/%[0-9a-f]{2}|[!=]=/i.test(value) && isRandom(value, level)
  return pair.by !== '(' && pair.by !== ','
}

/** Digits in the midst of letters, as in no word: `SKb31bd621f1e3…`. */
function isDigitRich(value: string): boolean {
  return value.length >= 16 && /^[\w-]+$/.test(value) && (value.match(/\d/g)?.length ?? 0) >= 6
}

/** Letters, digits and signs of every kind without a word among them, as salts are made. */
function isSigned(value: string): boolean {
  if (value.length < MIN_SIGNED.chars || /(?:\s\S*){4}/.test(value)) return false
  const signs = value.match(/[!-/:-@[-`{-~]/g) ?? []
  if (signs.length < MIN_SIGNED.signs || new Set(signs).size < MIN_SIGNED.kinds) return false
  return (
    /\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value) && !/[A-Za-z]{7}|^\^|\\[dws]/.test(value)
  )
}

/** Some stores wrap the value: `{AQAAABAAA …}`. */
function isMadeOfParts(value: string): boolean {
  const parts = value.split(/\s+/)
  return (
    parts.length <= 3 &&
    parts.some((part) => /^[!-~]{16,}$/.test(part) && /\d/.test(part) && surprise(part) >= 5)
  )
}

/** Base64 with its padding, of both cases. */
function isPadded(value: string): boolean {
  return (
    value.length % 4 === 0 &&
    /^[A-Za-z0-9+/]{10,}={1,2}$/.test(value) &&
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value)
  )
}

function hasOddCharacters(value: string): boolean {
  if ((value.match(/[!@#$%^&*?~]/g)?.length ?? 0) >= 3 && !/[<>{}()[\]\\/]/.test(value)) return true
  return (
    /[!@#$%^&*?~]/.test(value) &&
    /[A-Za-z0-9]/.test(value) &&
    !/^[\w.]+@[\w.]+$|[<>{}()[\]\\/]|^[@#$!%&*?~]|[?!]$|:/.test(value)
  )
}

function isRandom(value: string, level: 'password' | 'secret' | 'weak'): boolean {
  if (/[^ -~]/.test(value)) return false
  const bits = surprise(value)
  if (/\d/.test(value))
    return bits >= RANDOM_BITS[level] && value.length >= (level === 'weak' ? MIN_WEAK_CHARS : 8)
  return value.length >= 14 && bits >= RANDOM_BITS[level] + 0.5 && !/[.\s/]/.test(value)
}
