import { hasOwnNumber, hasSignAndDigit, isSignedLetters, isTechnical } from './chosen-password.ts'
import { isOddLetters, isPassphrase } from './named-things.ts'
import { surprise } from './randomness.ts'
import { isHex, isUuid } from './value-shapes.ts'

const RANDOM = { chars: 8, bits: 5 }

/** What a value must look like where the place alone does not tell a secret from a word. */
export const LOOKS = {
  chosen: looksChosen,
  /** Where a text in quotes is expected: any letters and digits. */
  withDigits: (value: string) => hasLettersAndDigits(value) || looksChosen(value),
  /** In a sentence that says that a password follows. */
  said: (value: string) =>
    !isTechnical(value) &&
    (looksChosen(value) || (/^[\w!@#$%^&*?~+=-]+$/.test(value) && hasLettersAndDigits(value))),
  /** Where a credential stands for certain: anything but the name of something. */
  carried: (value: string) =>
    !/^[A-Za-z]+(?:[-_][A-Za-z]+)*$/.test(value) || looksChosen(value) || isSurprising(value),
  /** After a flag that has other meanings too. */
  strong: (value: string) =>
    hasSignAndDigit(value) ||
    isSignedLetters(value) ||
    (isHex(value) && value.length >= 16 && /\d/.test(value)) ||
    (/^[\w-]+$/.test(value) &&
      value.length >= RANDOM.chars &&
      /\d/.test(value) &&
      surprise(value) >= RANDOM.bits),
} as const

export type Look = keyof typeof LOOKS

/** Letters in an order that words do not have. */
function isSurprising(value: string): boolean {
  return surprise(value) >= RANDOM.bits
}

function hasLettersAndDigits(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value)
}

/** Letters and digits, or letters and signs, that no name of a thing has. */
export function looksChosen(value: string): boolean {
  if (isUuid(value) || (isHex(value) && /\d/.test(value) && value.length >= 16)) return true
  if (isOddLetters(value) || hasSignAndDigit(value) || isSignedLetters(value) || isPassphrase(value))
    return true
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[\w-]+[./][\w./-]+$/.test(value)) return false
  if (/^[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{1,2}$/.test(value)) return surprise(value) >= 5.2
  return surprise(value) >= 4.4 || hasOwnNumber(value) || (/[!@#$%^&*?~]/.test(value) && !/:/.test(value))
}
