import { splitName } from './key-names.ts'
import { surprise } from './randomness.ts'

/** Words with humps, and short numbers as types have them: `PayloadU8`, `JWTCookieDataCodec`. */
const TYPE_NAME = /^(?:[A-Z]{1,5}[a-z]{1,15}\d{0,3}|[A-Z]\d{1,3}){2,}$/
const VARIABLE_NAME = /^[_$]{0,2}[a-z]+(?:[A-Z][a-z]+)+$/
/** What a variable that holds a secret is called after. */
const HOLDERS = new Set(
  'pass password passwd pwd secret secrets user username value val arg args param params input str string token key'.split(
    ' ',
  ),
)
/** One word, or words joined by lines, with at most a capital in front: text in whatever language. */
const WORD = /^\p{Lu}?\p{Ll}+(?:[-'’]\p{Lu}?\p{Ll}+)*[.:!?…]?$/u
const MAX_WORD_BITS = 6
const ODD = { chars: 8, bits: 5.4 }
/** `airflow-cluster1-mysql-password` */
const HOLDER_NAME =
  /^[a-z]{2,16}\d?(?:[-_]{1,2}[a-z]{1,16}\d?){0,6}[-_](?:passwords?|secrets?|tokens?|keys?|creds?|credentials)$/
/** Plain words and numbers joined by lines: a region, a flag, a step of a build. */
const SLUG = /^(?:[a-z]{1,16}|v\d{1,3})(?:[-_](?:[a-z]{1,16}|v?\d{1,6}))+$/

/** Whether a text has a word that variables for secrets are called by. */
export function hasHolderWord(value: string): boolean {
  return splitName(value).some((word) => HOLDERS.has(word))
}

/** The name of a type or of a variable, where a program may stand. */
export function isProgramName(value: string): boolean {
  if (VARIABLE_NAME.test(value)) return hasHolderWord(value) || surprise(value) < MAX_WORD_BITS - 0.5
  return TYPE_NAME.test(value) && surprise(value) < MAX_WORD_BITS
}

/** A word of a language rather than letters of chance. */
export function isWord(value: string): boolean {
  return WORD.test(value) && surprise(value) < MAX_WORD_BITS
}

/** A name made of words that are joined by lines. */
export function isSlug(value: string): boolean {
  return SLUG.test(value)
}

/** Four words and more that are joined, none of which says what it is: `matrix-river-candle-harbor`. */
export function isPassphrase(value: string): boolean {
  return (
    /^[a-z]{3,12}(?:([-_.])[a-z]{3,12})(?:\1[a-z]{3,12}){2,9}$/.test(value) &&
    !/passw|pwd|secret|token/.test(value) &&
    !hasHolderWord(value)
  )
}

/** Many words joined by lines, a word at the end: what a feature or a test is called, or a thing that keeps a secret. */
export function isFlagName(value: string): boolean {
  if (HOLDER_NAME.test(value)) return surprise(value) < MAX_WORD_BITS
  return (
    /^[a-z]+(?:[-_][a-z0-9]{1,16}){3,}[-_][a-z]{2,16}$/.test(value) && isSlug(value) && hasHolderWord(value)
  )
}

/** Letters alone, in an order and in cases that no word has. */
export function isOddLetters(value: string): boolean {
  if (value.length < ODD.chars || !/^[A-Za-z]+$/.test(value) || !/[a-z][A-Z]+[a-z]/.test(value)) return false
  return !isProgramName(value) && surprise(value) >= ODD.bits
}
