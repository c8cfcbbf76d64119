import { isSlug } from './named-things.ts'
import { surprise } from './randomness.ts'
import { isConstantName } from './value-shapes.ts'

/** What a person or a generator makes a password of; neither an address, a path, a call nor a text in brackets. */
const SIGNED = /^(?!&#)[\w!@#$%^*?~+&=.-]+$/
/** A sign with letters or digits on both sides. */
const INNER_SIGN = /[A-Za-z0-9][!@#$%^*?~+&]+[A-Za-z0-9]/
const SIGN_AND_DIGIT = /^(?=.*\d)(?=.*[A-Za-z])(?=.*[!@#$%^*?~&+])/
const MAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/
/** What is filled in or escaped: `%s`, `%20`, `%-8s`, `$1`, `${x}`. */
const FILLED =
  /%[-0-9.]{0,4}[sdifuxXvqpcw](?![A-Za-z0-9])|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|40|5[B-Fb-f]|60|7[B-Eb-e]|[C-Fc-f][0-9A-Fa-f]%)|\$\{|(?<!\w)\$\d(?!\d)|#\{/
/** `a==b`, `a&&b`, `a?b:c`, `a=b`. */
const EXPRESSION = /[!=<>]=|&&|\?\.|=>|\?[\w.]+:/
/** Names of methods, sizes and standards, which sentences about passwords have: `base64`, `sha256`, `8-bit`. */
const TECHNICAL =
  /^(?:(?:base|sha|md|utf|rc|aes|rsa|x|v|ntlmv|http|oauth|ipv|pkcs|pbkdf|argon|py|python|node)-?\d[\w-]{0,8}|bcrypt\w*|\d+[\s-]?(?:st|nd|rd|th|chars?|bytes?|bits?|characters?|digits?|letters?|times?|days?|hours?|minutes?|x|ms|s|h|d))$/i
/** A word and a small number, as many a thing is called: `node1`, `user-2`. */
const NUMBERED = /^[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d{1,2}$/
/** Sizes and standards, which names of programs have in them: `sha256Digest`, `VARCHAR255`. */
const SIZE = /^(?:8|16|24|32|48|64|96|128|160|192|224|255|256|384|512|1024|2048|3072|4096|509|5424|8859)$/
const MIN_CHARS = 6
const MIN_LETTERS = 8
const LETTER_BITS = 4.5

/** Letters, a digit and a sign, as no name of a thing has them: `Summer2024!`. */
export function hasSignAndDigit(value: string): boolean {
  return value.length >= MIN_CHARS && SIGN_AND_DIGIT.test(value) && isSigned(value)
}

/** Letters of no word with a sign among them and no digit: `CItbCW!BYkkA`. */
export function isSignedLetters(value: string): boolean {
  if (value.length < MIN_LETTERS || /\d/.test(value) || !INNER_SIGN.test(value) || !isSigned(value))
    return false
  return surprise(value) >= LETTER_BITS
}

function isSigned(value: string): boolean {
  return SIGNED.test(value) && !MAIL.test(value) && !FILLED.test(value) && !EXPRESSION.test(value)
}

/** Letters and signs whatever the letters say, for a place that says that a password follows. */
export function hasInnerSign(value: string): boolean {
  return (
    value.length >= MIN_LETTERS && INNER_SIGN.test(value) && /^[A-Za-z0-9]/.test(value) && isSigned(value)
  )
}

export function isTechnical(value: string): boolean {
  return TECHNICAL.test(value)
}

/** A password with digits that names no standard, no version and no numbered thing: `My_Pa55word_2024`. */
export function isDigitsAmongLetters(value: string): boolean {
  if (
    value.length < MIN_CHARS ||
    !/^\w+$/.test(value) ||
    !/\d/.test(value) ||
    !/(?:[A-Za-z].{0,8}){3}/.test(value)
  )
    return false
  return !NUMBERED.test(value) && !isTechnical(value) && !isSlug(value) && !isConstantName(value)
}

/** The same with a number that no name of a program has: `hockey9997Engine`. */
export function hasOwnNumber(value: string): boolean {
  if (!isDigitsAmongLetters(value)) return false
  const numbers = value.match(/\d+/g) ?? []
  return numbers.length > 2 || numbers.some((number) => number.length > 1 && !SIZE.test(number))
}
